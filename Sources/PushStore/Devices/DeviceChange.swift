internal import Envelope

/// What a registration changes in what is stored. No clock and no disk.
enum DeviceChange: Equatable {
    case nothing
    /// Only when it was seen, and that it is not in doubt any more.
    case sighting
    /// Words and keys, or the token for calls; the other one is as it was.
    case content
    /// Token, topic or environment: it counts as registered now, and no quarantine holds.
    case address

    /// - Parameters:
    ///   - addressIsSame: whether token, topic and environment are.
    ///   - contentIsSame: whether everything else is, the token for calls among it.
    ///   - isUnconfirmed: whether one of its tokens is in doubt.
    ///   - seen: as it is stored.
    ///   - now: when the registration came.
    ///   - step: how old `seen` may become before it is written anew.
    init(
        addressIsSame: Bool,
        contentIsSame: Bool,
        isUnconfirmed: Bool,
        seen: Timestamp,
        now: Timestamp,
        step: Duration
    ) {
        if !addressIsSame {
            self = .address
        } else if !contentIsSame {
            self = .content
        } else if isUnconfirmed || now > seen && now >= seen.advanced(by: step) {
            self = .sighting
        } else {
            self = .nothing
        }
    }

    /// What holds afterwards, of a token that it does not change.
    func quarantine(after before: Quarantine?) -> Quarantine? {
        switch self {
        case .address: nil
        case .nothing: before
        case .sighting, .content: before == .unconfirmed ? nil : before
        }
    }
}

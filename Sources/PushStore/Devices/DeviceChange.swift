internal import Envelope

/// Difference that a registration makes; pure logic.
package enum DeviceChange: Equatable, Sendable {
    case nothing
    /// Only the last-seen time, which ends any doubt about tokens.
    case sighting
    /// Texts, keys or tokens besides the app's own.
    case content
    /// Token, topic or environment: registered anew, without quarantine.
    case address

    /// - Parameters:
    ///   - contentIsSame: all but the address, with the other tokens.
    ///   - isUnconfirmed: true if a token is in doubt.
    ///   - step: age at which `seen` is rewritten.
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

    func quarantine(after before: Quarantine?) -> Quarantine? {
        switch self {
        case .address: nil
        case .nothing: before
        case .sighting, .content: before == .unconfirmed ? nil : before
        }
    }
}

/// How many streams a provider's connection may have open: one until a push was accepted, then all; and, by a setting,
/// one again after each rejection.
///
/// - Source: "Sending notification requests to APNs" for the beginning; openradar-mirror 15649 (radar 27870881) and
///   jchambers/pushy 476 for the fall after a rejection.
struct StreamAllowance {
    private let countMax: UInt32
    private let dropsToOneStream: Bool
    private(set) var isWide: Bool

    init(_ configuration: SimulatorConfiguration) {
        countMax = configuration.streamCountMax
        dropsToOneStream = configuration.connections.dropsToOneStream
        isWide = !configuration.startsWithOneStream
    }

    /// One push was answered.
    ///
    /// - Parameter isAccepted: with 200.
    /// - Returns: the limit that the client is told now; nil: it stays.
    mutating func didAnswer(isAccepted: Bool) -> UInt32? {
        if isAccepted, !isWide {
            isWide = true
            return countMax
        }
        if !isAccepted, isWide, dropsToOneStream {
            isWide = false
            return 1
        }
        return nil
    }
}

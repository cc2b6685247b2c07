/// Stream limit of a connection: one until the first accepted push, then all; optionally one after each rejection.
///
/// - Source: "Sending notification requests to APNs" for the beginning; openradar-mirror 15649 (radar 27870881) and
///   jchambers/pushy 476 for the fall.
struct StreamAllowance {
    private let countMax: UInt32
    private let dropsToOneStream: Bool
    private(set) var isWide: Bool

    init(_ configuration: SimulatorConfiguration) {
        countMax = configuration.streamCountMax
        dropsToOneStream = configuration.connections.dropsToOneStream
        isWide = !configuration.startsWithOneStream
    }

    /// - Returns: new limit for the client; nil if unchanged.
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

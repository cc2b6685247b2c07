/// Urgency and power cost, the value of `apns-priority`. Absent means `immediate`.
///
/// - Source: "Sending notification requests to APNs", `apns-priority`.
public enum Priority: UInt8, CaseIterable, Sendable {
    /// Does not wake the device.
    case low = 1
    /// Delivered as the device's power allows.
    case powerAware = 5
    /// Delivered at once.
    case immediate = 10

    /// - Parameter headerValue: exactly `10`, `5` or `1`.
    package init?(headerValue: Span<UInt8>) {
        guard let match = Self.allCases.first(where: { headerValue.holds($0.headerValue) }) else { return nil }
        self = match
    }

    /// Bytes of `apns-priority`.
    package var headerValue: [UInt8] {
        switch self {
        case .low: Self.one
        case .powerAware: Self.five
        case .immediate: Self.ten
        }
    }

    private static let one = Array("1".utf8)
    private static let five = Array("5".utf8)
    private static let ten = Array("10".utf8)
}

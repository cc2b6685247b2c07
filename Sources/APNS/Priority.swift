/// How soon, at what cost in power: the value of `apns-priority`. Absent means `immediate`.
///
/// - Source: "Sending notification requests to APNs", `apns-priority`.
public enum Priority: UInt8, CaseIterable, Sendable {
    /// Must not wake the device.
    case low = 1
    /// When the device's power allows.
    case powerAware = 5
    /// Now.
    case immediate = 10

    /// - Parameter headerValue: the bytes of `apns-priority`: exactly `10`, `5` or `1`.
    package init?(headerValue: Span<UInt8>) {
        guard let match = Self.allCases.first(where: { headerValue.holds($0.headerValue) }) else { return nil }
        self = match
    }

    /// The bytes of `apns-priority`.
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

/// Value of `apns-push-type`. Each of Apple's eleven fixes the topic's suffix and the size.
///
/// - Source: "Sending notification requests to APNs", tables of `apns-push-type` and of payload sizes.
public enum PushType: String, CaseIterable, Sendable {
    case alert
    case background
    case complication
    case controls
    case fileprovider
    case liveactivity
    case location
    case mdm
    case pushtotalk
    case voip
    case widgets

    /// - Parameter headerValue: exact bytes of `apns-push-type`.
    package init?(headerValue: Span<UInt8>) {
        guard let match = Self.allCases.first(where: { headerValue.holds($0.headerValue) }) else { return nil }
        self = match
    }

    /// Bytes of `apns-push-type`.
    package var headerValue: [UInt8] { Self.headerValues[self.index] }

    /// Suffix of the bundle id in `apns-topic`, with its leading dot; may be empty. The topic of `mdm` is the UID of
    /// the certificate's subject, not a bundle id.
    public var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    /// Largest body in bytes.
    public var payloadByteCountMax: Int { self == .voip ? 5120 : 4096 }

    /// True if the topic is the app's bundle id.
    public var topicIsBundleID: Bool { self == .alert || self == .background }

    /// False where APNs refuses the priority: "For background notifications, using priority 10 is an error".
    public func allows(_ priority: Priority) -> Bool { !(self == .background && priority == .immediate) }

    /// True for a priority on Apple's pages, stricter than `allows`: 10 or 5 for a Live Activity and a location query,
    /// 10 for Push to Talk; other types as `allows`.
    public func expects(_ priority: Priority) -> Bool {
        switch self {
        case .background: priority != .immediate
        case .liveactivity, .location: priority != .low
        case .pushtotalk: priority == .immediate
        case .alert, .complication, .controls, .fileprovider, .mdm, .voip, .widgets: true
        }
    }

    /// Apple's advice for `apns-expiration`: a late call or transmission is worthless.
    public var advisedExpiration: Expiration? { self == .pushtotalk || self == .voip ? .oneAttempt : nil }

    private var index: Int {
        switch self {
        case .alert: 0
        case .background: 1
        case .complication: 2
        case .controls: 3
        case .fileprovider: 4
        case .liveactivity: 5
        case .location: 6
        case .mdm: 7
        case .pushtotalk: 8
        case .voip: 9
        case .widgets: 10
        }
    }

    /// In the order of `allCases`; made once, so that a push creates no string.
    private static let headerValues = allCases.map { Array($0.rawValue.utf8) }
}

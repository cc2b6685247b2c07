/// What kind of push it is, the value of `apns-push-type`. Apple has eleven; each fixes the topic's ending and the size.
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

    /// - Parameter headerValue: the bytes of `apns-push-type`; the comparison is exact.
    package init?(headerValue: Span<UInt8>) {
        guard let match = Self.allCases.first(where: { headerValue.holds($0.headerValue) }) else { return nil }
        self = match
    }

    /// The bytes of `apns-push-type`.
    package var headerValue: [UInt8] { Self.headerValues[self.index] }

    /// What follows the bundle id in `apns-topic`, with its leading dot; empty where the topic is the bundle id itself.
    ///
    /// The topic of `mdm` is no bundle id at all but the UID of the certificate's subject.
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

    /// The largest body in bytes.
    public var payloadByteCountMax: Int { self == .voip ? 5120 : 4096 }

    /// Whether the topic is the app's bundle id as it is.
    public var topicIsBundleID: Bool { self == .alert || self == .background }

    /// What APNs is known to refuse: "For background notifications, using priority 10 is an error".
    public func allows(_ priority: Priority) -> Bool { !(self == .background && priority == .immediate) }

    /// Whether the priority is one that Apple's pages give for the type, which is stricter than `allows`: a Live Activity
    /// and a location query have 10 or 5, and Push to Talk has 10. Where no page says anything, each is.
    public func expects(_ priority: Priority) -> Bool {
        switch self {
        case .background: priority != .immediate
        case .liveactivity, .location: priority != .low
        case .pushtotalk: priority == .immediate
        case .alert, .complication, .controls, .fileprovider, .mdm, .voip, .widgets: true
        }
    }

    /// What Apple advises for `apns-expiration`: a call or a transmission that comes late is worth nothing.
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

    /// In the order of `allCases`: made once, because a push must not cost a string.
    private static let headerValues = allCases.map { Array($0.rawValue.utf8) }
}

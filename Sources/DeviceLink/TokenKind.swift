package import APNS

/// What a device token was given out for. Each of Apple's frameworks hands out tokens of its own, and a token is good for
/// the topic of its kind alone.
///
/// The raw value is the number on the device link.
///
/// - Source: the pages of each framework: UIKit's `didRegisterForRemoteNotificationsWithDeviceToken`, PushKit's
///   `PKPushType`, `PTChannelManagerDelegate`'s ephemeral token, ActivityKit's `pushToStartTokenUpdates` and
///   `pushTokenUpdates`, WidgetKit's `WidgetPushHandler` and `ControlPushHandler`, Core Location's
///   `startMonitoringLocationPushes`, device management's `TokenUpdate`.
package enum TokenKind: UInt8, Sendable, CaseIterable {
    /// Remote notifications: alerts and background pushes.
    case app = 1
    /// PushKit.
    case voip = 2
    /// PushKit.
    case complication = 3
    /// PushKit.
    case fileProvider = 4
    /// One for each channel that is joined.
    case pushToTalk = 5
    /// Starts Live Activities of one type of attributes.
    case liveActivityStart = 6
    /// Updates and ends one Live Activity.
    case liveActivity = 7
    case widgets = 8
    case controls = 9
    case location = 10
    /// Device management: its topic is no app's.
    case mdm = 11

    /// A word of the control API and of the command line.
    package var name: String {
        switch self {
        case .app: "app"
        case .voip: "voip"
        case .complication: "complication"
        case .fileProvider: "fileprovider"
        case .pushToTalk: "pushtotalk"
        case .liveActivityStart: "liveactivity-start"
        case .liveActivity: "liveactivity"
        case .widgets: "widgets"
        case .controls: "controls"
        case .location: "location"
        case .mdm: "mdm"
        }
    }

    /// - Parameter name: one of the names above.
    package init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }

    /// The kind of token that a push of this type needs. A Live Activity's is the one that updates it.
    package init(of pushType: PushType) {
        switch pushType {
        case .alert, .background: self = .app
        case .complication: self = .complication
        case .controls: self = .controls
        case .fileprovider: self = .fileProvider
        case .liveactivity: self = .liveActivity
        case .location: self = .location
        case .mdm: self = .mdm
        case .pushtotalk: self = .pushToTalk
        case .voip: self = .voip
        case .widgets: self = .widgets
        }
    }

    /// The type whose topic is the token's.
    package var pushType: PushType {
        switch self {
        case .app: .alert
        case .voip: .voip
        case .complication: .complication
        case .fileProvider: .fileprovider
        case .pushToTalk: .pushtotalk
        case .liveActivityStart, .liveActivity: .liveactivity
        case .widgets: .widgets
        case .controls: .controls
        case .location: .location
        case .mdm: .mdm
        }
    }

    /// Whether a token of this kind is good for the topic of that type.
    package func takes(_ pushType: PushType) -> Bool {
        let needed = TokenKind(of: pushType)
        return self == needed || (self == .liveActivityStart && needed == .liveActivity)
    }
}

/// One registration beside the app's own.
package struct TokenRegistration: Hashable, Sendable {
    /// Ours: a UUID has 36.
    package static let instanceByteCountMax = 64

    package let kind: TokenKind
    /// Which of several: a Live Activity, a type of attributes, a channel of Push to Talk. Empty where there is one only.
    package let instance: [UInt8]

    /// - Parameters:
    ///   - kind: of the token.
    ///   - instance: at most `instanceByteCountMax` bytes; `nil` for longer ones.
    package init?(_ kind: TokenKind, instance: [UInt8] = []) {
        guard instance.count <= Self.instanceByteCountMax else { return nil }
        self.kind = kind
        self.instance = instance
    }
}

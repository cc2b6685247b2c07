package import APNS

/// Device token's purpose. Each of Apple's frameworks issues its own, for the topic of its kind. The raw value is the
/// number on the wire.
///
/// - Source: pages of UIKit's `didRegisterForRemoteNotificationsWithDeviceToken`, PushKit's `PKPushType`,
///   `PTChannelManagerDelegate`'s ephemeral token, ActivityKit's `pushToStartTokenUpdates` and `pushTokenUpdates`,
///   WidgetKit's `WidgetPushHandler` and `ControlPushHandler`, Core Location's `startMonitoringLocationPushes`, device
///   management's `TokenUpdate`.
package enum TokenKind: UInt8, Sendable, CaseIterable {
    /// Alerts and background pushes.
    case app = 1
    /// PushKit.
    case voip = 2
    /// PushKit.
    case complication = 3
    /// PushKit.
    case fileProvider = 4
    /// One for each joined channel.
    case pushToTalk = 5
    /// Starts Live Activities of one type of attributes.
    case liveActivityStart = 6
    /// Updates and ends one Live Activity.
    case liveActivity = 7
    case widgets = 8
    case controls = 9
    case location = 10
    /// Device management: its topic belongs to no app.
    case mdm = 11

    /// Its name in the control API and on the command line.
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

    package init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }

    /// For a Live Activity, the kind that updates it.
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

    package func takes(_ pushType: PushType) -> Bool {
        let needed = TokenKind(of: pushType)
        return self == needed || (self == .liveActivityStart && needed == .liveActivity)
    }
}

/// Registration in addition to the app's own.
package struct TokenRegistration: Hashable, Sendable {
    /// Our choice: a UUID has 36.
    package static let instanceByteCountMax = 64

    package let kind: TokenKind
    /// Identifies a Live Activity, a type of attributes or a Push to Talk channel; else empty.
    package let instance: [UInt8]

    /// Fails for an `instance` longer than `instanceByteCountMax`.
    package init?(_ kind: TokenKind, instance: [UInt8] = []) {
        guard instance.count <= Self.instanceByteCountMax else { return nil }
        self.kind = kind
        self.instance = instance
    }
}

/// The dictionary that the system reads: `aps`, with every member that Apple documents but the deprecated ones.
///
/// - Source: "Generating a remote notification", tables 1 to 3; "Starting and updating Live Activities with ActivityKit push
///   notifications"; for `url-args` the archived "Notification Programming Guide for Websites".
public struct APS: Sendable, Equatable {
    /// How much a notification may disturb: `interruption-level`.
    public enum InterruptionLevel: String, Sendable, CaseIterable {
        /// In the list, without light or sound.
        case passive
        /// The usual.
        case active
        /// Breaks through Focus; the app needs the capability.
        case timeSensitive = "time-sensitive"
        /// Breaks through the mute switch; the app needs Apple's entitlement.
        case critical
    }

    /// What becomes of a Live Activity: `event`.
    public enum Event: String, Sendable, CaseIterable {
        case start
        case update
        case end
    }

    /// `alert`.
    public var alert: Alert?
    /// `badge`, 0 or more; 0 removes it.
    public var badge: Int?
    /// `sound`.
    public var sound: Sound?
    /// `thread-id`: notifications with the same one are grouped.
    public var threadID: String?
    /// `category`: the identifier of a `UNNotificationCategory`.
    public var category: String?
    /// `content-available`: wakes the app in the background.
    public var contentAvailable = false
    /// `mutable-content`: runs the app's notification service extension.
    public var mutableContent = false
    /// `target-content-id`: the window to bring forward.
    public var targetContentID: String?
    /// `interruption-level`.
    public var interruptionLevel: InterruptionLevel?
    /// `relevance-score`: 0 ... 1, and any finite number in a Live Activity.
    public var relevanceScore: Double?
    /// `filter-criteria`: held against the filters of a Focus.
    public var filterCriteria: String?

    /// `event`.
    public var event: Event?
    /// `timestamp`: seconds since 1970. What is older than what is shown is ignored.
    public var timestamp: Int64?
    /// `content-state`: an object that the app's `ContentState` can decode.
    public var contentState: PayloadValue?
    /// `stale-date`: seconds since 1970.
    public var staleDate: Int64?
    /// `dismissal-date`: seconds since 1970; one in the past removes the activity at once.
    public var dismissalDate: Int64?
    /// `attributes-type`: the name of the app's `ActivityAttributes` type.
    public var attributesType: String?
    /// `attributes`: an object that that type can decode.
    public var attributes: PayloadValue?
    /// `input-push-channel`: the broadcast channel that the new activity listens to.
    public var inputPushChannel: ChannelID?
    /// `input-push-token`: asks for an update token for the new activity.
    public var inputPushToken = false

    /// `content-changed`: for widgets and controls.
    public var contentChanged = false
    /// `url-args`: what fills the placeholders of a website's URL.
    public var urlArguments: [String]?

    /// With nothing in it.
    public init() {}

    /// What most notifications have.
    public init(
        alert: Alert?,
        badge: Int? = nil,
        sound: Sound? = nil,
        threadID: String? = nil,
        category: String? = nil,
        mutableContent: Bool = false
    ) {
        self.alert = alert
        self.badge = badge
        self.sound = sound
        self.threadID = threadID
        self.category = category
        self.mutableContent = mutableContent
    }

    /// What a background push has, and nothing else.
    public static var background: APS {
        var aps = APS()
        aps.contentAvailable = true
        return aps
    }

    /// What a push for widgets or controls has.
    public static var contentChanged: APS {
        var aps = APS()
        aps.contentChanged = true
        return aps
    }
}

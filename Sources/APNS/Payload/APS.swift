/// Dictionary `aps`, which the system reads, with every documented member that is not deprecated.
///
/// - Source: "Generating a remote notification", tables 1 to 3; "Starting and updating Live Activities with ActivityKit
///   push notifications"; for `url-args` the archived "Notification Programming Guide for Websites".
public struct APS: Sendable, Equatable {
    /// Degree of interruption: `interruption-level`.
    public enum InterruptionLevel: String, Sendable, CaseIterable {
        /// Adds to the list, without light or sound.
        case passive
        /// Default level.
        case active
        /// Breaks through Focus; the app needs the capability.
        case timeSensitive = "time-sensitive"
        /// Breaks through the mute switch; the app needs Apple's entitlement.
        case critical
    }

    /// Step in the life of a Live Activity: `event`.
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
    /// `filter-criteria`: matched against the filters of a Focus.
    public var filterCriteria: String?

    /// `event`.
    public var event: Event?
    /// `timestamp`: seconds since 1970. The device ignores an update older than the shown one.
    public var timestamp: Int64?
    /// `content-state`: an object that the app's `ContentState` can decode.
    public var contentState: PayloadValue?
    /// `stale-date`: seconds since 1970.
    public var staleDate: Int64?
    /// `dismissal-date`: seconds since 1970; one in the past removes the activity at once.
    public var dismissalDate: Int64?
    /// `attributes-type`: the app's `ActivityAttributes` type.
    public var attributesType: String?
    /// `attributes`: an object that this type can decode.
    public var attributes: PayloadValue?
    /// `input-push-channel`: the new activity's broadcast channel.
    public var inputPushChannel: ChannelID?
    /// `input-push-token`: asks for an update token for the new activity.
    public var inputPushToken = false

    /// `content-changed`: for widgets and controls.
    public var contentChanged = false
    /// `url-args`: values for the placeholders of a website's URL.
    public var urlArguments: [String]?

    /// Creates an empty dictionary.
    public init() {}

    /// Creates a dictionary with the most common members.
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

    /// Dictionary of a background push.
    public static var background: APS {
        var aps = APS()
        aps.contentAvailable = true
        return aps
    }

    /// Dictionary of a push for widgets or controls.
    public static var contentChanged: APS {
        var aps = APS()
        aps.contentChanged = true
        return aps
    }
}

/// The content of a notification; it cannot be edited, its `mutableCopy()` can.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationcontent
open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying {
    /// Everything a content holds, as one value: copying it is copying the content.
    struct Fields {
        var title = ""
        var subtitle = ""
        var body = ""
        var attachments: [UNNotificationAttachment] = []
        var userInfo: [AnyHashable: Any] = [:]
        var launchImageName = ""
        var badge: NSNumber?
        var targetContentIdentifier: String?
        var sound: UNNotificationSound?
        var interruptionLevel = UNNotificationInterruptionLevel.active
        var relevanceScore = 0.0
        var filterCriteria: String?
        var threadIdentifier = ""
        var categoryIdentifier = ""
        var summaryArgument = ""
        var summaryArgumentCount = 1
    }

    final var fields: Fields

    /// Creates a content without text, sound or badge.
    public override init() {
        fields = Fields()
        super.init()
    }

    init(copying content: UNNotificationContent) {
        fields = content.fields
        super.init()
    }

    /// The primary description: a person's name, say. Empty when there is none.
    open var title: String { fields.title }

    /// The secondary description. Empty when there is none.
    open var subtitle: String { fields.subtitle }

    /// The message's main text. Empty when there is none.
    open var body: String { fields.body }

    /// The media files shown with the text.
    open var attachments: [UNNotificationAttachment] { fields.attachments }

    /// The app's own data; of a remote notification, the whole payload with its `aps` dictionary.
    open var userInfo: [AnyHashable: Any] { fields.userInfo }

    /// The launch image for an app that the notification opens. Empty for the default.
    open var launchImageName: String { fields.launchImageName }

    /// The number for the app's icon: `nil` leaves it as it is, 0 hides it.
    open var badge: NSNumber? { fields.badge }

    /// What the app matches to choose the scene that handles the notification.
    open var targetContentIdentifier: String? { fields.targetContentIdentifier }

    /// The sound to play; `nil` is silence.
    open var sound: UNNotificationSound? { fields.sound }

    /// Importance and delivery timing; `.active` unless set.
    open var interruptionLevel: UNNotificationInterruptionLevel { fields.interruptionLevel }

    /// Weight in the notification summary, 0 to 1; 0 unless set.
    open var relevanceScore: Double { fields.relevanceScore }

    /// What a Focus evaluates to decide whether to show the notification.
    open var filterCriteria: String? { fields.filterCriteria }

    /// Groups related notifications. Empty for the app's common group.
    open var threadIdentifier: String { fields.threadIdentifier }

    /// The registered category whose actions are offered. Empty when there is none.
    open var categoryIdentifier: String { fields.categoryIdentifier }

    /// The text added to the summary of a group.
    @available(*, deprecated, message: "summaryArgument is ignored")
    open var summaryArgument: String { fields.summaryArgument }

    /// How many items the notification stands for in the summary of a group; 1 unless set.
    @available(*, deprecated, message: "summaryArgumentCount is ignored")
    open var summaryArgumentCount: Int { fields.summaryArgumentCount }

    /// - Returns: A `UNNotificationContent` that no later change to this object reaches.
    open func copy(with zone: NSZone? = nil) -> Any {
        UNNotificationContent(copying: self)
    }

    /// - Returns: A `UNMutableNotificationContent` of its own: changing it does not change this object.
    open func mutableCopy(with zone: NSZone? = nil) -> Any {
        UNMutableNotificationContent(copying: self)
    }
}

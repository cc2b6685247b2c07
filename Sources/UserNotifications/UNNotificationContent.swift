/// Immutable content of a notification; its `mutableCopy()` can be edited.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationcontent
open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying {
    /// All properties as one value.
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
        var communication: Communication?
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

    /// Primary description, such as a person's name, or empty.
    open var title: String { fields.title }

    /// Secondary description, or empty.
    open var subtitle: String { fields.subtitle }

    /// Message's main text, or empty.
    open var body: String { fields.body }

    /// Media files shown with the text.
    open var attachments: [UNNotificationAttachment] { fields.attachments }

    /// App's own data; for a remote notification the whole payload with its `aps` dictionary.
    open var userInfo: [AnyHashable: Any] { fields.userInfo }

    /// Launch image of an app opened by the notification; empty for the default.
    open var launchImageName: String { fields.launchImageName }

    /// Number for the app's icon: `nil` leaves it as it is, 0 hides it.
    open var badge: NSNumber? { fields.badge }

    /// Identifier by which the app chooses a scene.
    open var targetContentIdentifier: String? { fields.targetContentIdentifier }

    /// Sound to play; `nil` is silence.
    open var sound: UNNotificationSound? { fields.sound }

    /// Importance and delivery timing; `.active` unless set.
    open var interruptionLevel: UNNotificationInterruptionLevel { fields.interruptionLevel }

    /// Weight in the notification summary, 0 to 1; 0 unless set.
    open var relevanceScore: Double { fields.relevanceScore }

    /// Criteria for a Focus.
    open var filterCriteria: String? { fields.filterCriteria }

    /// Groups related notifications; empty for the app's common group.
    open var threadIdentifier: String { fields.threadIdentifier }

    /// Registered category with the actions, or empty.
    open var categoryIdentifier: String { fields.categoryIdentifier }

    /// Text added to the summary of a group.
    @available(*, deprecated, message: "summaryArgument is ignored")
    open var summaryArgument: String { fields.summaryArgument }

    /// Number of items for the summary of a group; 1 unless set.
    @available(*, deprecated, message: "summaryArgumentCount is ignored")
    open var summaryArgumentCount: Int { fields.summaryArgumentCount }

    /// - Returns: Independent `UNNotificationContent`.
    open func copy(with zone: NSZone? = nil) -> Any {
        UNNotificationContent(copying: self)
    }

    /// - Returns: Independent `UNMutableNotificationContent`.
    open func mutableCopy(with zone: NSZone? = nil) -> Any {
        UNMutableNotificationContent(copying: self)
    }
}

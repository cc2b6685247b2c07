// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

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

    public override init() {
        fields = Fields()
        super.init()
    }

    init(copying content: UNNotificationContent) {
        fields = content.fields
        super.init()
    }

    open var title: String { fields.title }

    open var subtitle: String { fields.subtitle }

    open var body: String { fields.body }

    open var attachments: [UNNotificationAttachment] { fields.attachments }

    open var userInfo: [AnyHashable: Any] { fields.userInfo }

    open var launchImageName: String { fields.launchImageName }

    /// Number for the app's icon: `nil` leaves it as it is, 0 hides it.
    open var badge: NSNumber? { fields.badge }

    open var targetContentIdentifier: String? { fields.targetContentIdentifier }

    open var sound: UNNotificationSound? { fields.sound }

    open var interruptionLevel: UNNotificationInterruptionLevel { fields.interruptionLevel }

    open var relevanceScore: Double { fields.relevanceScore }

    open var filterCriteria: String? { fields.filterCriteria }

    open var threadIdentifier: String { fields.threadIdentifier }

    open var categoryIdentifier: String { fields.categoryIdentifier }

    @available(*, deprecated, message: "summaryArgument is ignored")
    open var summaryArgument: String { fields.summaryArgument }

    @available(*, deprecated, message: "summaryArgumentCount is ignored")
    open var summaryArgumentCount: Int { fields.summaryArgumentCount }

    open func copy(with zone: NSZone? = nil) -> Any {
        UNNotificationContent(copying: self)
    }

    open func mutableCopy(with zone: NSZone? = nil) -> Any {
        UNMutableNotificationContent(copying: self)
    }
}

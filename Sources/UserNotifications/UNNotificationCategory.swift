// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Kind of notification, with its actions.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationcategory
open class UNNotificationCategory: NSObject, NSCopying {
    /// Category as a value.
    package struct Description: Sendable, Hashable, Codable {
        package var identifier: String
        package var actions: [UNNotificationAction.Description]
        var intentIdentifiers: [String]
        var hiddenPreviewsBodyPlaceholder: String
        var categorySummaryFormat: String
        var options: UInt
    }

    package final let category: Description

    package init(_ category: Description) { self.category = category }

    public convenience init(
        identifier: String,
        actions: [UNNotificationAction],
        intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {
        self.init(
            identifier: identifier,
            actions: actions,
            intentIdentifiers: intentIdentifiers,
            hiddenPreviewsBodyPlaceholder: nil,
            categorySummaryFormat: nil,
            options: options
        )
    }

    public convenience init(
        identifier: String,
        actions: [UNNotificationAction],
        intentIdentifiers: [String],
        hiddenPreviewsBodyPlaceholder: String,
        options: UNNotificationCategoryOptions = []
    ) {
        self.init(
            identifier: identifier,
            actions: actions,
            intentIdentifiers: intentIdentifiers,
            hiddenPreviewsBodyPlaceholder: hiddenPreviewsBodyPlaceholder,
            categorySummaryFormat: nil,
            options: options
        )
    }

    public convenience init(
        identifier: String,
        actions: [UNNotificationAction],
        intentIdentifiers: [String],
        hiddenPreviewsBodyPlaceholder: String?,
        categorySummaryFormat: String?,
        options: UNNotificationCategoryOptions = []
    ) {
        self.init(
            Description(
                identifier: identifier,
                actions: actions.map(\.action),
                intentIdentifiers: intentIdentifiers,
                hiddenPreviewsBodyPlaceholder: hiddenPreviewsBodyPlaceholder ?? "",
                categorySummaryFormat: categorySummaryFormat ?? "",
                options: options.rawValue
            )
        )
    }

    open var identifier: String { category.identifier }
    open var actions: [UNNotificationAction] { category.actions.map(\.object) }
    open var intentIdentifiers: [String] { category.intentIdentifiers }
    open var hiddenPreviewsBodyPlaceholder: String { category.hiddenPreviewsBodyPlaceholder }
    open var categorySummaryFormat: String { category.categorySummaryFormat }
    open var options: UNNotificationCategoryOptions { UNNotificationCategoryOptions(rawValue: category.options) }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationCategory)?.category == category }

    open override var hash: Int { category.hashValue }
}

/// Handling of a category's notifications, with Apple's values.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationcategoryoptions
public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let customDismissAction = UNNotificationCategoryOptions(rawValue: 1 << 0)
    public static let allowInCarPlay = UNNotificationCategoryOptions(rawValue: 1 << 1)
    public static let hiddenPreviewsShowTitle = UNNotificationCategoryOptions(rawValue: 1 << 2)
    public static let hiddenPreviewsShowSubtitle = UNNotificationCategoryOptions(rawValue: 1 << 3)
}

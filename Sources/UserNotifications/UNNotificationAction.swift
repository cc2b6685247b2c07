// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Action below a notification.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationaction
open class UNNotificationAction: NSObject, NSCopying {
    /// Action as a value.
    package struct Description: Sendable, Hashable, Codable {
        var identifier: String
        package var title: String
        var options: UInt
        var icon: UNNotificationActionIcon.Description?
        /// Nil for an action without text.
        var input: Input?

        struct Input: Sendable, Hashable, Codable {
            var buttonTitle: String
            var placeholder: String
        }

        var object: UNNotificationAction {
            input == nil ? UNNotificationAction(self) : UNTextInputNotificationAction(self)
        }
    }

    final let action: Description

    init(_ action: Description) { self.action = action }

    public convenience init(identifier: String, title: String, options: UNNotificationActionOptions = []) {
        self.init(identifier: identifier, title: title, options: options, icon: nil)
    }

    public convenience init(
        identifier: String,
        title: String,
        options: UNNotificationActionOptions = [],
        icon: UNNotificationActionIcon?
    ) {
        self.init(
            Description(identifier: identifier, title: title, options: options.rawValue, icon: icon?.icon, input: nil)
        )
    }

    open var identifier: String { action.identifier }
    open var title: String { action.title }
    open var options: UNNotificationActionOptions { UNNotificationActionOptions(rawValue: action.options) }
    open var icon: UNNotificationActionIcon? { action.icon.map { UNNotificationActionIcon($0) } }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationAction)?.action == action }

    open override var hash: Int { action.hashValue }
}

/// Action that takes text.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/untextinputnotificationaction
open class UNTextInputNotificationAction: UNNotificationAction {
    public convenience init(
        identifier: String,
        title: String,
        options: UNNotificationActionOptions = [],
        textInputButtonTitle: String,
        textInputPlaceholder: String
    ) {
        self.init(
            identifier: identifier,
            title: title,
            options: options,
            icon: nil,
            textInputButtonTitle: textInputButtonTitle,
            textInputPlaceholder: textInputPlaceholder
        )
    }

    public convenience init(
        identifier: String,
        title: String,
        options: UNNotificationActionOptions = [],
        icon: UNNotificationActionIcon?,
        textInputButtonTitle: String,
        textInputPlaceholder: String
    ) {
        self.init(
            Description(
                identifier: identifier,
                title: title,
                options: options.rawValue,
                icon: icon?.icon,
                input: .init(buttonTitle: textInputButtonTitle, placeholder: textInputPlaceholder)
            )
        )
    }

    open var textInputButtonTitle: String { action.input?.buttonTitle ?? "" }
    open var textInputPlaceholder: String { action.input?.placeholder ?? "" }
}

/// Behavior of an action, with Apple's values.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationactionoptions
public struct UNNotificationActionOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let authenticationRequired = UNNotificationActionOptions(rawValue: 1 << 0)
    public static let destructive = UNNotificationActionOptions(rawValue: 1 << 1)
    public static let foreground = UNNotificationActionOptions(rawValue: 1 << 2)
}

/// Icon of an action.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationactionicon
open class UNNotificationActionIcon: NSObject, NSCopying {
    struct Description: Sendable, Hashable, Codable {
        var name: String
        var isOfSystem: Bool
    }

    final let icon: Description

    init(_ icon: Description) { self.icon = icon }

    public convenience init(templateImageName: String) {
        self.init(Description(name: templateImageName, isOfSystem: false))
    }

    public convenience init(systemImageName: String) {
        self.init(Description(name: systemImageName, isOfSystem: true))
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }
}

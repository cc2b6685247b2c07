package import NotificationCore
package import UserNotifications

/// What `NSExtensionPrincipalClass` in an Info.plist says on iOS: which class to make. Linux only; Xcode does not compile
/// this file.
package enum PrincipalClass {
    /// The app group in the extension's entitlements.
    package static let appGroup = NotificationService.appGroup

    /// The app shows the same.
    package static var display: DisplayPolicy { NotificationService.display }
    /// The app reports to the same.
    package static var relayURL: String { NotificationService.relay }

    package static func make() -> UNNotificationServiceExtension { NotificationService() }
}

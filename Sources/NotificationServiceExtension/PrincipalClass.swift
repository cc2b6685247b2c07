// A copy in an app has none of it: its other files' imports have no access level.
#if SEALEDPUSH_PACKAGE
package import NotificationCore
package import UserNotifications

/// Linux's substitute for `NSExtensionPrincipalClass` in an Info.plist; Xcode does not compile it.
package enum PrincipalClass {
    /// App group of the entitlements.
    package static let appGroup = NotificationService.appGroup

    /// Display policy, as in the app.
    package static var display: DisplayPolicy { NotificationService.display }
    /// Relay, as in the app.
    package static var relayURL: String { NotificationService.relay }

    package static func make() -> UNNotificationServiceExtension { NotificationService() }
}
#endif

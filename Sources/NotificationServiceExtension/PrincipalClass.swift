package import UserNotifications

/// What `NSExtensionPrincipalClass` in an Info.plist says on iOS: which class to make. Linux only; Xcode does not compile
/// this file.
package enum PrincipalClass {
    package static func make() -> UNNotificationServiceExtension { NotificationService() }
}

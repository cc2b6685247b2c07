import UserNotifications

// What NSExtensionPrincipalClass in an Info.plist does on iOS: names the class, which the template leaves internal.
public enum PrincipalClass {
    public static func make() -> UNNotificationServiceExtension { NotificationService() }
}

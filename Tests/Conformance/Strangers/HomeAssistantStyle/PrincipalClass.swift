import UserNotifications

// What NSExtensionPrincipalClass in an Info.plist does on iOS: names the class, which is internal.
public enum PrincipalClass {
    public static func make() -> UNNotificationServiceExtension { NotificationService() }
}

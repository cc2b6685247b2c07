/// Notification's importance and delivery timing.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationinterruptionlevel
public enum UNNotificationInterruptionLevel: UInt, Sendable {
    /// Added to the list, without light or sound.
    case passive

    /// Presented at once; lights the screen and may play a sound.
    case active

    /// As `active`, and may break through a Focus.
    case timeSensitive

    /// As `active`, and passes the mute switch and every Focus.
    case critical
}

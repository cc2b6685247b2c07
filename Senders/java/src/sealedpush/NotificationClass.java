package sealedpush;

/** Word from which the relay takes push type, priority, expiry and queue (docs/service.md). */
public enum NotificationClass {
    /** VoIP push for a message that is a call. */
    CALL,
    /** At once, before all others. */
    URGENT,
    /** At once. */
    NORMAL,
    /** When it costs the device least. */
    BACKGROUND
}

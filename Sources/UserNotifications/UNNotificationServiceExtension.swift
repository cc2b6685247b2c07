/// Base class of an extension that modifies a remote notification before delivery.
///
/// `init()` is not `required`, as in Objective-C: otherwise shipping extensions' `override init()` would not compile.
/// So a subclass cannot be made from its metatype; a harness takes a closure.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationserviceextension
open class UNNotificationServiceExtension: NSObject {
    /// Creates the extension's principal object.
    public override init() {
        super.init()
    }

    /// Called for each remote notification that asks to be modified. Override it, and call the handler once with the
    /// content to show. Without a call in time the original is shown; this implementation makes none.
    ///
    /// - Parameters:
    ///   - request: notification as it came; its content is a copy of the push.
    ///   - contentHandler: called from any thread, once.
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}

    /// Called on another thread just before the system ends the extension: the last chance to call the handler.
    open func serviceExtensionTimeWillExpire() {}
}

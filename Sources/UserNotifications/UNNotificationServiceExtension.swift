/// An object that modifies the content of a remote notification before it is delivered to the person.
///
/// `init()` is not `required`, because it is not in Objective-C either: shipping extensions write `override init()`,
/// which would not compile unmodified. So a subclass cannot be made from its metatype; a harness takes a closure.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationserviceextension
open class UNNotificationServiceExtension: NSObject {
    /// Creates the extension's principal object.
    public override init() {
        super.init()
    }

    /// Called for each remote notification that asks to be modified. Override it, and call the handler once with the
    /// content to show; without a call in time the original is shown, which is all that this implementation does.
    ///
    /// - Parameters:
    ///   - request: The notification as it came; its content is a copy of the push.
    ///   - contentHandler: May be called from any thread, once.
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}

    /// Called on another thread just before the system ends the extension: the last chance to call the handler.
    open func serviceExtensionTimeWillExpire() {}
}

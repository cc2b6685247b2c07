import UserNotifications

/// An extension that runs a test's closures, on the harness's threads.
final class ScriptedExtension: UNNotificationServiceExtension {
    typealias ContentHandler = (UNNotificationContent) -> Void
    typealias Step = @Sendable (UNNotificationRequest, @escaping ContentHandler) -> Void

    private let receive: Step
    private let expire: Step
    private let lock = NSLock()
    private var received: (request: UNNotificationRequest, handler: ContentHandler)?

    init(receive: @escaping Step = { _, _ in }, expire: @escaping Step = { _, _ in }) {
        self.receive = receive
        self.expire = expire
    }

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping ContentHandler
    ) {
        lock.withLock { received = (request, contentHandler) }
        receive(request, contentHandler)
    }

    override func serviceExtensionTimeWillExpire() {
        guard let received = lock.withLock({ received }) else { return }
        expire(received.request, received.handler)
    }
}

/// Called from a thread of the test's, as extensions do; the harness's handler is safe to call from any.
struct Handler: @unchecked Sendable {
    let call: ScriptedExtension.ContentHandler
}

func content(title: String = "", subtitle: String = "", body: String = "") -> UNMutableNotificationContent {
    let content = UNMutableNotificationContent()
    content.title = title
    content.subtitle = subtitle
    content.body = body
    return content
}

/// A push that runs its extension.
let mutablePush = Array(#"{"aps":{"alert":{"title":"T","body":"B"},"mutable-content":1},"n":1}"#.utf8)

import Envelope
import Keys

/// Delivered notifications, which an extension must not overwrite.
public protocol NotificationScreen: Sendable {
    /// Notification of a request; nil for none, as after dismissal.
    func notification(requestID: String) async -> ListedNotification?
}

/// Delivered notification. Its user info names a message and counts only if the request map agrees: a relay does not
/// know the message's id.
public struct ListedNotification: Sendable {
    /// System's own content, for its creator.
    public let content: any Sendable
    let requestKey: RequestMap.Key?

    /// Creates one; `content` comes back in `NotificationContent.kept`.
    public init(userInfo: [AnyHashable: Any], content: any Sendable) {
        self.content = content
        requestKey = RequestMap.Key(userInfo: userInfo)
    }
}

extension ListedNotification: Equatable {
    /// True if both show the same message.
    public static func == (one: ListedNotification, other: ListedNotification) -> Bool {
        one.requestKey == other.requestKey
    }
}

extension RequestMap.Key {
    /// - Returns: nil unless from an opened message.
    fileprivate init?(userInfo: [AnyHashable: Any]) {
        guard let sealed = userInfo["sealedpush"] as? [String: Any],
            let sender = (sealed["sender"] as? String).flatMap({ Base64URL.decode(Array($0.utf8)) }),
            let messageID = (sealed["message"] as? String).flatMap({ MessageID(text: $0) })
        else { return nil }
        do throws(KeyTextError) {
            self.init(sender: try SenderKey(rawRepresentation: sender), messageID: messageID)
        } catch {
            return nil
        }
    }
}

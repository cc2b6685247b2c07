import Envelope
import Keys

/// What the screen lists, for an extension that must not write over it.
public protocol NotificationScreen: Sendable {
    /// - Parameter requestID: the identifier of a request.
    /// - Returns: the notification that is listed under it now; nil for none, as after the person dismissed it.
    func notification(requestID: String) async -> ListedNotification?
}

/// A notification that the screen lists. Which message it shows is what its user info says, so that is believed only
/// where the map of requests says the same: the message's id is known to its sender and its recipients, and not to a
/// relay.
public struct ListedNotification: Sendable {
    /// The system's own, for whoever put it here.
    public let content: any Sendable
    let requestKey: RequestMap.Key?

    /// - Parameters:
    ///   - userInfo: the notification's.
    ///   - content: comes back in `NotificationContent.kept`.
    public init(userInfo: [AnyHashable: Any], content: any Sendable) {
        self.content = content
        requestKey = RequestMap.Key(userInfo: userInfo)
    }
}

extension ListedNotification: Equatable {
    /// Whether both show the same message.
    public static func == (one: ListedNotification, other: ListedNotification) -> Bool {
        one.requestKey == other.requestKey
    }
}

extension RequestMap.Key {
    /// - Returns: nil unless this is the user info of a message that was opened.
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

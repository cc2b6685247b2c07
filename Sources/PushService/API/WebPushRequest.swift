import APNS
import Envelope
import HTTP
import Primitives
import PushStore

/// Fields of a server's push to an endpoint.
///
/// - Source: RFC 8030 section 5; RFC 8291 section 4.
struct WebPushRequest: Equatable, Sendable {
    /// Seconds that the message is of use.
    let ttl: Int64
    let notificationClass: NotificationClass
    /// 32 characters of base64url at most.
    let topic: String?

    static let bodyByteCountMax = 4_096
    private static let topicCounts = 1...32

    static let fieldNames: [StaticString] = ["ttl", "urgency", "topic"]

    /// - Throws: `.badRequest`, `.unsupportedMediaType`.
    init(_ request: APIRequest) throws(Problem) {
        guard request.value(of: "content-encoding") == "aes128gcm" else {
            throw Problem(
                .unsupportedMediaType,
                "Send one record of RFC 8291, with 'Content-Encoding: aes128gcm'; other encodings are not accepted."
            )
        }
        guard let text = request.value(of: "ttl"), (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw Problem(.badRequest, "Send 'TTL' once, in seconds (RFC 8030 section 5.2).") }
        ttl = Int64(text) ?? .max
        notificationClass = try Self.notificationClass(request)
        topic = try Self.topic(request)
    }

    /// Life that Apple is told: the longest of the class's that is not above the TTL.
    var expirySeconds: Int64 { notificationClass.expirySeconds.filter { $0 <= ttl }.max() ?? 0 }

    private static func notificationClass(_ request: APIRequest) throws(Problem) -> NotificationClass {
        guard request.has("urgency") else { return .normal }
        switch request.value(of: "urgency") {
        case "high": return .urgent
        case "normal": return .normal
        case "low", "very-low": return .background
        default: throw Problem(.badRequest, "Send 'Urgency' as very-low, low, normal or high (RFC 8030 section 5.3).")
        }
    }

    private static func topic(_ request: APIRequest) throws(Problem) -> String? {
        guard request.has("topic") else { return nil }
        guard let topic = request.value(of: "topic"), topicCounts.contains(topic.utf8.count),
            Base64URL.isOfAlphabet(Array(topic.utf8))
        else {
            throw Problem(.badRequest, "Send 'Topic' as 1 to 32 characters of base64url (RFC 8030 section 5.4).")
        }
        return topic
    }

    /// Word of a topic, of this endpoint alone; its control character keeps it from any word of the tenant's.
    func collapseWord(_ endpoint: EndpointID) -> String? { topic.map { "\u{1}\(endpoint.text)\($0)" } }
}

import APNS
import Envelope
import HTTP
import Primitives
import PushStore

/// Fields of a server's push to an endpoint.
///
/// - Source: RFC 8030 section 5; RFC 8291 section 4; draft-ietf-webpush-encryption-04 for `aesgcm`.
struct WebPushRequest: Equatable, Sendable {
    /// Seconds that the message is of use.
    let ttl: Int64
    let notificationClass: NotificationClass
    /// 32 characters of base64url at most.
    let topic: String?
    let encoding: Encoding

    enum Encoding: Equatable, Sendable {
        case aes128gcm
        /// With header fields as `aes128gcm` has them before its ciphertext: salt, record size, key.
        case aesgcm(head: [UInt8])
        /// An envelope of docs/protocol.md, not a record.
        case envelope
        /// No body: it only tells that there is something.
        case none
    }

    static let bodyByteCountMax = 4_096
    private static let topicCounts = 1...32

    static let fieldNames: [StaticString] = ["ttl", "urgency", "topic", "encryption", "crypto-key"]

    /// - Throws: `.badRequest`, `.unsupportedMediaType`.
    init(_ request: APIRequest) throws(Problem) {
        encoding = try Self.encoding(request)
        guard let text = request.value(of: "ttl"), (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw Problem(.badRequest, "Send 'TTL' once, in seconds (RFC 8030 section 5.2).") }
        ttl = Int64(text) ?? .max
        notificationClass = try Self.notificationClass(request)
        topic = try Self.topic(request)
    }

    static let envelopeType = "application/vnd.sealedpush.envelope"

    private static func encoding(_ request: APIRequest) throws(Problem) -> Encoding {
        guard request.has("content-encoding") else {
            guard request.has("content-type") else { return .none }
            guard request.value(of: "content-type")?.lowercased() == envelopeType else { throw otherEncoding }
            return .envelope
        }
        switch request.value(of: "content-encoding")?.lowercased() {
        case "aes128gcm": return .aes128gcm
        case "aesgcm": return .aesgcm(head: try draftHead(request))
        default: throw otherEncoding
        }
    }

    static var otherEncoding: Problem {
        Problem(
            .unsupportedMediaType,
            "Send one record of RFC 8291, with 'Content-Encoding: aes128gcm'; other encodings are not accepted."
        )
    }

    private static func draftHead(_ request: APIRequest) throws(Problem) -> [UInt8] {
        let encryption = request.value(of: "encryption").flatMap { HeaderParameters($0.utf8) }
        let keys = request.value(of: "crypto-key").flatMap { HeaderParameters($0.utf8) }
        let sizeText = encryption?["rs"].map { String(decoding: $0, as: UTF8.self) }
        guard let salt = encryption?["salt"].flatMap({ Base64URL.decode($0) }), salt.count == 16,
            let key = keys?["dh"].flatMap({ Base64URL.decode($0) }), key.count == P256PublicKey.byteCount,
            let recordSize = sizeText.map({ UInt32($0) }) ?? 4_096
        else {
            throw Problem(
                .badRequest,
                "Send 'Encryption: salt=…' and 'Crypto-Key: dh=…' once; or better a record of RFC 8291 (aes128gcm)."
            )
        }
        var head = salt
        head.append(bigEndian: recordSize)
        return head + [UInt8(key.count)] + key
    }

    /// Record with its head, as a device opens it.
    func record(_ body: [UInt8]) -> [UInt8] {
        switch encoding {
        case .aes128gcm, .envelope, .none: body
        case .aesgcm(let head): head + body
        }
    }

    var isDraft: Bool { if case .aesgcm = encoding { true } else { false } }

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

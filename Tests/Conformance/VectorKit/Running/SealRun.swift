import Envelope
import Keys
import Sealing

/// Runs vectors of the kind `seal`: from keys and a message to the payload, byte for byte, through the sender's own
/// code.
package enum SealRun {
    static func run(_ vector: Vector) throws -> VectorRun.Result {
        VectorRun.Result(
            expected: [try vector.required("payload")],
            actual: [String(decoding: try payload(vector), as: UTF8.self)]
        )
    }

    /// The payload that the head of a vector describes.
    package static func payload(_ vector: Vector) throws -> [UInt8] {
        let now = try vector.time("now")
        let sender = SenderIdentity(seed: try vector.bytes("sender-secret"))
        guard let protectionClass = ProtectionClass(rawValue: UInt8(try vector.required("class-of-prekey")) ?? 0) else {
            throw VectorError.malformed(vector: vector.name, field: "class-of-prekey")
        }
        let recipient = try Recipient(
            bundle: try vector.bytes("bundle"),
            pinnedIdentity: try IdentityKey(rawRepresentation: try vector.bytes("pinned")),
            topic: try BundleID(try vector.required("topic")),
            protectionClass: protectionClass,
            withoutPinsAt: now
        )
        let message = try PreparedMessage(
            resending: try Message(sealedBody: Array(try vector.required("body").utf8)),
            messageID: MessageID(bytes: try vector.bytes("message-id")),
            sentAt: try vector.time("sent-at"),
            expiresAt: try vector.time("expires-at")
        )
        // Drawn in this order: the ephemeral key, a second draw that must differ from it, the trace.
        let draws = [try vector.bytes("ephemeral"), [UInt8](repeating: 0, count: 32), try vector.bytes("trace")]
        var random = FixedRandom(bytes: Array(draws.joined()))
        let sealed = try sender.seal(message, for: recipient, now: now, random: &random)
        return sealed.payload(placeholder: try Placeholder(localizationKey: try vector.required("alert-loc-key")))
    }
}

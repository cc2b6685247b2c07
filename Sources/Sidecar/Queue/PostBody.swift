import Envelope
import Primitives

/// Body of a POST to the relay, from the store alone: the same rows make the same bytes and idempotency key, before a
/// kill and after.
struct PostBody: Sendable {
    struct Copy: Equatable, Sendable {
        let place: Int64
        let device: [UInt8]
        let sealed: [UInt8]
        let trace: [UInt8]
    }

    let messageID: [UInt8]
    let topic: String
    let messageClass: String
    let expirySeconds: Int64?
    let collapseID: [UInt8]?
    let copies: [Copy]

    var devices: [String] { copies.map { String(decoding: $0.device, as: UTF8.self) } }

    /// Names message and copies: other copies are another request.
    var idempotencyKey: String {
        var places: [UInt8] = []
        for copy in copies { places.append(bigEndian: UInt64(bitPattern: copy.place)) }
        return "sidecar-" + Base64URL.string(SHA256.hash(messageID, places))
    }

    var json: [UInt8] {
        var writer = JSONWriter(reserving: copies.count * 4_000 + 256)
        writer.object { writer in
            writer.member("topic", topic)
            writer.member("class", messageClass)
            writer.member("partial", true)
            if let expirySeconds { writer.member("expiry", expirySeconds) }
            if let collapseID { writer.member("collapse-id", String(decoding: collapseID, as: UTF8.self)) }
            writer.name("recipients")
            writer.array { writer in
                for copy in copies {
                    writer.object { writer in
                        writer.member("device", writing: { $0 += copy.device })
                        writer.member("sealed", writing: { $0 += Base64URL.encode(copy.sealed) })
                        writer.member("trace", writing: { $0 += Base64URL.encode(copy.trace) })
                    }
                }
            }
        }
        return writer.bytes
    }
}

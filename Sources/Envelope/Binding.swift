/// The byte strings that tie a message to its place: HPKE's `info` and what the sender signs. Each begins with a context
/// string that is used nowhere else, so that no signature or key of one place is accepted in another.
package enum Binding {
    package static let envelopeContext = "SealedPush/1"
    package static let messageContext = "SealedPush/1 message"
    package static let prekeyContext = "SealedPush/1 prekey"
    package static let bundleContext = "SealedPush/1 bundle"
    package static let senderContext = "SealedPush/1 sender"
    package static let attachmentContext = "SealedPush/1 attachment"

    /// `info` = LP("SealedPush/1") ‖ header ‖ LP(TOPIC) ‖ IK ‖ FP: 88 + |TOPIC| bytes.
    ///
    /// `aad` stays empty: single-shot HPKE libraries offer none, and `info` binds the same (RFC 9180 section 8.1).
    ///
    /// - Parameters:
    ///   - header: the envelope's ten clear bytes.
    ///   - topic: the app's bundle id.
    ///   - identityKey: the recipient's Ed25519 key, 32 bytes.
    ///   - prekeyFingerprint: all 32 bytes of it, since the id in the header is only a hint.
    /// - Returns: 88 + |TOPIC| bytes.
    package static func info(
        header: EnvelopeHeader,
        topic: BundleID,
        identityKey: [UInt8],
        prekeyFingerprint: [UInt8]
    ) -> [UInt8] {
        precondition(identityKey.count == 32 && prekeyFingerprint.count == 32)
        var info = context(envelopeContext)
        info += header.bytes
        info.append(lengthPrefixed: topic.bytes)
        info += identityKey
        info += prekeyFingerprint
        return info
    }

    /// What the sender's Ed25519 key signs: LP("SealedPush/1 message") ‖ info ‖ frame[0..<68] ‖ SHA-256(body).
    ///
    /// The encapsulated key is left out on purpose: it would force a two-step context on every implementation and bind
    /// nothing more (docs/protocol.md, "Signature").
    ///
    /// - Parameters:
    ///   - info: of the same envelope.
    ///   - frameHead: the frame's first 68 bytes.
    ///   - bodyDigest: 32 bytes.
    /// - Returns: 209 + |TOPIC| bytes.
    package static func signatureInput(info: [UInt8], frameHead: [UInt8], bodyDigest: [UInt8]) -> [UInt8] {
        precondition(frameHead.count == Frame.signedByteCount && bodyDigest.count == 32)
        return context(messageContext) + info + frameHead + bodyDigest
    }

    /// LP(ASCII context string), without NUL.
    package static func context(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(lengthPrefixed: Array(text.utf8))
        return bytes
    }
}

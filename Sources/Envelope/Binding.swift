/// HPKE's `info` and the sender's signature input. Each has its own context string: no signature or key is accepted
/// elsewhere.
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
    /// - Parameter prekeyFingerprint: all 32 bytes, since the id in the header is only a hint.
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

    /// LP("SealedPush/1 message") ‖ info ‖ frame[0..<68] ‖ SHA-256(body): 209 + |TOPIC| bytes.
    ///
    /// The encapsulated key is left out: it would force a two-step context and bind nothing more (docs/protocol.md,
    /// "Signature").
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

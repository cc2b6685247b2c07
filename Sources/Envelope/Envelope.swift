/// Sealed message: header ‖ encapsulated key ‖ ciphertext, always 2,880 bytes (alert) or 3,648 (voip); layout in
/// docs/protocol.md, "Envelope".
package struct Envelope: Equatable, Sendable {
    /// Nt of ChaCha20-Poly1305.
    package static let tagByteCount = 16

    package let pushClass: PushClass
    package let header: EnvelopeHeader
    package let encapsulatedKey: [UInt8]
    /// Frame and tag.
    package let ciphertext: [UInt8]

    package init(pushClass: PushClass, header: EnvelopeHeader, encapsulatedKey: [UInt8], ciphertext: [UInt8]) {
        precondition(encapsulatedKey.count == header.suite.encapsulatedKeyByteCount)
        precondition(ciphertext.count == pushClass.frameByteCount(header.suite) + Self.tagByteCount)
        self.pushClass = pushClass
        self.header = header
        self.encapsulatedKey = encapsulatedKey
        self.ciphertext = ciphertext
    }

    /// Checks length, then alphabet, then version and suite.
    package init(sealedField text: some Collection<UInt8>) throws(EnvelopeError) {
        guard PushClass.allCases.contains(where: { $0.sealedCharacterCount == text.count }) else {
            throw .wrongLength(count: text.count)
        }
        // An array: other collections decode through three calls a character.
        guard let bytes = Base64URL.decode(Array(text)) else { throw .notBase64URL }
        try self.init(bytes: bytes)
    }

    package init(bytes: [UInt8]) throws(EnvelopeError) {
        guard let pushClass = PushClass.allCases.first(where: { $0.envelopeByteCount == bytes.count }) else {
            throw .wrongLength(count: bytes.count)
        }
        guard bytes[0] == EnvelopeHeader.version else { throw .unsupportedVersion(bytes[0]) }
        guard let suite = Suite(rawValue: bytes[1]) else { throw .unsupportedSuite(bytes[1]) }
        let keyEnd = EnvelopeHeader.byteCount + suite.encapsulatedKeyByteCount
        self.init(
            pushClass: pushClass,
            header: EnvelopeHeader(suite: suite, prekeyID: Array(bytes[2..<EnvelopeHeader.byteCount])),
            encapsulatedKey: Array(bytes[EnvelopeHeader.byteCount..<keyEnd]),
            ciphertext: Array(bytes[keyEnd...])
        )
    }

    package var bytes: [UInt8] { header.bytes + encapsulatedKey + ciphertext }

    /// 3,840 or 4,864 ASCII characters.
    package var sealedField: [UInt8] { Base64URL.encode(bytes) }
}

private import Envelope
internal import Primitives

/// Secrets derived from an attachment's key, salt and context.
struct ChunkKeys: ~Copyable {
    private static let label = Array("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM".utf8) + [0]
    private static let nonceByteCount = 12
    static let derivedByteCount = ChunkFormat.keyByteCount + nonceByteCount + ChunkFormat.commitmentByteCount

    let key: SecretBytes
    let baseNonce: [UInt8]
    /// 32 bytes; binds the text to its key, which a GCM tag alone does not.
    let commitment: SecretBytes

    /// - Source: c2sp.org/chunked-encryption, "Key derivation".
    init(inputKey: borrowing SecretBytes, salt: [UInt8], context: [UInt8]) {
        precondition(inputKey.byteCount == ChunkFormat.keyByteCount)
        do {
            self.init(
                derived: try HKDFSHA512.expand(
                    pseudorandomKey: inputKey,
                    info: Self.info(salt: salt, context: context),
                    byteCount: Self.derivedByteCount
                )
            )
        } catch {
            preconditionFailure("76 bytes are not too many")
        }
    }

    init(derived: borrowing SecretBytes) {
        precondition(derived.byteCount == Self.derivedByteCount)
        let commitmentStart = ChunkFormat.keyByteCount + Self.nonceByteCount
        key = derived.withBytes { SecretBytes(copying: $0.extracting(..<ChunkFormat.keyByteCount)) }
        baseNonce = derived.withBytes {
            [UInt8](copying: $0.extracting(ChunkFormat.keyByteCount..<commitmentStart))
        }
        commitment = derived.withBytes { SecretBytes(copying: $0.extracting(droppingFirst: commitmentStart)) }
    }

    static func info(salt: [UInt8], context: [UInt8]) -> [UInt8] {
        precondition(salt.count == ChunkFormat.saltByteCount)
        return label + salt + context
    }

    func isCommitted(by bytes: ArraySlice<UInt8>) -> Bool {
        commitment.isEqual(to: SecretBytes(copying: unsafe bytes.span.bytes))
    }
}

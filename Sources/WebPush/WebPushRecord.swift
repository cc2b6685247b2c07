import Envelope
package import Primitives

/// Encoded Web Push message: the header of the `aes128gcm` content coding, then exactly one record.
///
///     0        salt 16
///     16       rs u32          record size; not authenticated, see `WebPushOpener.replayKey(ofRecord:)`
///     20       idlen = 65
///     21       keyid           the sender's one-time public key, uncompressed
///     86       ciphertext      text ‖ 0x02 ‖ zeros, encrypted, and a tag of 16 bytes: 17 ... 4,010
///
/// Only public bytes are checked, so errors may be specific.
///
/// - Source: RFC 8188 section 2.1; RFC 8291 section 4.
package struct WebPushRecord: Equatable, Sendable {
    /// Salt, rs, idlen and keyid.
    package static let headByteCount = saltByteCount + 5 + P256PublicKey.byteCount
    package static let saltByteCount = 16
    package static let tagByteCount = 16
    /// RFC 8188 section 2: a smaller record has no room for text.
    package static let recordSizeMin = 18

    package let salt: [UInt8]
    package let senderKey: P256PublicKey
    package let ciphertext: [UInt8]

    /// - Throws: `WebPushRecordError` for the first fault.
    package init(bytes: [UInt8], _ coding: WebPushCoding = .aes128gcm) throws(WebPushRecordError) {
        guard bytes.count <= coding.recordByteCountMax else {
            throw .tooLong(byteCount: bytes.count, byteCountMax: coding.recordByteCountMax)
        }
        var reader = ByteReader(bytes[...])
        guard let salt = reader.take(Self.saltByteCount), let recordSize = reader.take(UInt32.self),
            let keyIDByteCount = reader.take(UInt8.self)
        else { throw .truncated }
        guard recordSize >= Self.recordSizeMin else { throw .recordSizeTooSmall(recordSize) }
        guard keyIDByteCount == P256PublicKey.byteCount else { throw .wrongKeyIDLength(keyIDByteCount) }
        guard let keyID = reader.take(P256PublicKey.byteCount),
            let ciphertext = reader.take(reader.remainingByteCount),
            ciphertext.count >= coding.paddingByteCountMin + Self.tagByteCount
        else { throw .truncated }
        // RFC 8291 wants `rs` greater than the record's length. Widely used senders set it equal; with a last record's
        // delimiter that is still one record (RFC 8188 section 2).
        // The record size of `aesgcm` is without the tag.
        let tagByteCount = coding == .aesgcm ? Self.tagByteCount : 0
        guard ciphertext.count - tagByteCount <= recordSize else { throw .severalRecords }
        let senderKey: P256PublicKey
        do {
            senderKey = try P256PublicKey(x963Representation: keyID)
        } catch {
            throw .badPublicKey
        }
        self.salt = salt
        self.senderKey = senderKey
        self.ciphertext = ciphertext
    }
}

/// Reason why bytes are no Web Push record. Nothing here depends on a secret.
package enum WebPushRecordError: Error, Equatable {
    case tooLong(byteCount: Int, byteCountMax: Int)
    /// Ends before its tag can be complete.
    case truncated
    /// `rs` below 18.
    case recordSizeTooSmall(UInt32)
    /// `idlen` other than 65.
    case wrongKeyIDLength(UInt8)
    /// More bytes than one record of size `rs` has.
    case severalRecords
    /// `keyid` is no uncompressed point of P-256.
    case badPublicKey
}

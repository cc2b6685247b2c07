import Envelope
package import Primitives

/// A Web Push message as it travels: the header of the `aes128gcm` content coding, then exactly one record.
///
///     0        salt 16
///     16       rs u32          record size; not authenticated, see `WebPushOpener.replayKey(ofRecord:)`
///     20       idlen = 65
///     21       keyid           the sender's one-time public key, uncompressed
///     86       ciphertext      text ‖ 0x02 ‖ zeros, encrypted, and a tag of 16 bytes: 17 ... 4,010
///
/// Only public bytes are judged here, so that an error may say what is wrong.
///
/// - Source: RFC 8188 section 2.1; RFC 8291 section 4.
package struct WebPushRecord: Equatable, Sendable {
    /// RFC 8291 section 4: nobody on the way has to carry more.
    package static let byteCountMax = 4_096
    package static let saltByteCount = 16
    package static let tagByteCount = 16
    /// RFC 8188 section 2: a smaller record has no room for text.
    package static let recordSizeMin = 18
    /// The delimiter and the tag.
    private static let ciphertextByteCountMin = 1 + tagByteCount

    package let salt: [UInt8]
    package let senderKey: P256PublicKey
    package let ciphertext: [UInt8]

    /// - Throws: `WebPushRecordError`, for the first fault from the front.
    package init(bytes: [UInt8]) throws(WebPushRecordError) {
        guard bytes.count <= Self.byteCountMax else {
            throw .tooLong(byteCount: bytes.count, byteCountMax: Self.byteCountMax)
        }
        var reader = ByteReader(bytes[...])
        guard let salt = reader.take(Self.saltByteCount), let recordSize = reader.take(UInt32.self),
            let keyIDByteCount = reader.take(UInt8.self)
        else { throw .truncated }
        guard recordSize >= Self.recordSizeMin else { throw .recordSizeTooSmall(recordSize) }
        guard keyIDByteCount == P256PublicKey.byteCount else { throw .wrongKeyIDLength(keyIDByteCount) }
        guard let keyID = reader.take(P256PublicKey.byteCount),
            let ciphertext = reader.take(reader.remainingByteCount),
            ciphertext.count >= Self.ciphertextByteCountMin
        else { throw .truncated }
        // RFC 8291 asks senders for more than the record's length. Widely used ones name the length itself, and with
        // the delimiter of a last record that is one record all the same (RFC 8188 section 2).
        guard ciphertext.count <= recordSize else { throw .severalRecords }
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

/// Why bytes were no Web Push record. Nothing here depends on a secret.
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

import Envelope
import Primitives

/// Opens Web Push messages (RFC 8291, or an earlier draft). They have no sender, expiry or operations, and anyone with the subscription's
/// public values can write one. Off unless an app makes keys.
package struct WebPushOpener: Sendable {
    private static let replayKeyByteCount = 16

    private let keys: WebPushKeys

    package init(keys: WebPushKeys) { self.keys = keys }

    package func open(
        field: String,
        _ coding: WebPushCoding = .aes128gcm
    ) throws(WebPushError) -> UnauthenticatedMessage {
        let plaintext = try open(record: Self.record(field: field, coding), coding)
        do {
            return try UnauthenticatedMessage(plaintext: plaintext, server: keys.server)
        } catch {
            throw .text(error)
        }
    }

    /// Decrypts header and record of at most 4,096 bytes to 3,993 at most.
    ///
    /// - Throws: `.record` for publicly visible faults, `.notOpened` for all others.
    package func open(
        record bytes: [UInt8],
        _ coding: WebPushCoding = .aes128gcm
    ) throws(WebPushError) -> [UInt8] {
        let record: WebPushRecord
        do {
            record = try WebPushRecord(bytes: bytes, coding)
        } catch {
            throw .record(error)
        }
        let keyingMaterial = try keys.keyingMaterial(sender: record.senderKey, coding)
        let draftContext =
            coding == .aesgcm
            ? WebPushKeySchedule.draftContext(receiver: keys.publicKey, sender: record.senderKey) : nil
        let plaintext: [UInt8]?
        do {
            plaintext = try ContentEncryption.open(
                record.ciphertext,
                salt: record.salt,
                keyingMaterial: keyingMaterial,
                draftContext: draftContext
            )
        } catch {
            throw .notOpened
        }
        guard let plaintext else { throw .notOpened }
        return plaintext
    }

    /// Decodes a payload's string: base64url without padding.
    ///
    /// - Throws: `.fieldTooLong`, `.notBase64URL`.
    package static func record(
        field: String,
        _ coding: WebPushCoding = .aes128gcm
    ) throws(WebPushError) -> [UInt8] {
        let fieldCharacterCountMax = (coding.recordByteCountMax * 8 + 5) / 6
        guard field.utf8.count <= fieldCharacterCountMax else {
            throw .fieldTooLong(characterCountMax: fieldCharacterCountMax)
        }
        guard let bytes = Base64URL.decode(Array(field.utf8)) else { throw .notBase64URL }
        return bytes
    }

    /// 16 bytes that identify a repeated record: SHA-256(record without its four bytes of `rs`)[0..<16].
    ///
    /// Nothing authenticates `rs`: a relay may change it to most other numbers, and the record still opens. All other
    /// bytes take part in the encryption, and cannot be changed without the keys.
    package static func replayKey(ofRecord bytes: [UInt8]) -> [UInt8] {
        let salt = Array(bytes.prefix(WebPushRecord.saltByteCount))
        let rest = Array(bytes.dropFirst(WebPushRecord.saltByteCount + MemoryLayout<UInt32>.size))
        return Array(SHA256.hash(salt, rest).prefix(replayKeyByteCount))
    }
}

/// Reason why a `webpush` field gave no message.
package enum WebPushError: Error, Equatable {
    case fieldTooLong(characterCountMax: Int)
    case notBase64URL
    /// Publicly visible fault of the bytes.
    case record(WebPushRecordError)
    /// The record is not encrypted to these keys, or not as one record: one case for all that depends on a secret.
    case notOpened
    /// Encrypted to these keys, but without a text to show.
    case text(UnauthenticatedMessageError)
}

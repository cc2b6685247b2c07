public import Envelope
import HPKE
import Keys
package import Primitives

extension SenderIdentity {
    /// Devices refuse anything that claims to live longer than their app allows; this is the default of both.
    public static let lifetimeMax: Duration = .seconds(7 * 86_400)

    /// Seals a message for one device.
    ///
    /// - Parameters:
    ///   - message: what the person will read.
    ///   - recipient: the verified device.
    ///   - sentAt: the sender's clock.
    ///   - lifetime: how long after `sentAt` the device may show it; at most 7 days.
    ///   - overflow: what to do with a message longer than the constant length.
    /// - Returns: the envelope, 2,880 bytes whatever the message.
    /// - Throws: `SealingError`.
    public func seal(
        _ message: Message,
        for recipient: Recipient,
        sentAt: Timestamp,
        lifetime: Duration = .seconds(86_400),
        overflow: Message.Overflow = .shorten
    ) throws(SealingError) -> SealedMessage {
        var random = SystemRandom()
        return try seal(
            message,
            for: recipient,
            sentAt: sentAt,
            lifetime: lifetime,
            overflow: overflow,
            pushClass: .alert,
            random: &random
        )
    }

    package func seal(
        _ message: Message,
        for recipient: Recipient,
        sentAt: Timestamp,
        lifetime: Duration,
        overflow: Message.Overflow,
        pushClass: PushClass,
        random: inout some RandomSource
    ) throws(SealingError) -> SealedMessage {
        guard lifetime > .zero, lifetime <= Self.lifetimeMax else {
            throw .lifetime(lifetimeMax: Self.lifetimeMax)
        }
        let suite = recipient.prekey.suite
        let encoded: (json: [UInt8], isTruncated: Bool)
        do {
            encoded = try message.encoded(byteCountMax: pushClass.bodyByteCountMax(suite), overflow: overflow)
        } catch {
            throw .message(error)
        }
        var frame = Frame(
            messageID: random.bytes(count: 16),
            sentAt: sentAt.milliseconds,
            expiresAt: sentAt.advanced(by: lifetime).milliseconds,
            senderKey: publicKey.rawRepresentation,
            flags: encoded.isTruncated ? .truncated : [],
            body: encoded.json
        )
        let info = recipient.info
        frame.signature = key.signature(
            over: Binding.signatureInput(info: info, frameHead: frame.head, bodyDigest: SHA256.hash(frame.body))
        )
        return SealedMessage(
            envelope: try envelope(of: frame, for: recipient, info: info, pushClass: pushClass, random: &random),
            messageID: frame.messageID,
            isTruncated: encoded.isTruncated,
            trace: Trace(bytes: random.bytes(count: 16))
        )
    }

    /// A fresh encapsulation for every recipient: a shared one would let a recipient open another's copy.
    private func envelope(
        of frame: Frame,
        for recipient: Recipient,
        info: [UInt8],
        pushClass: PushClass,
        random: inout some RandomSource
    ) throws(SealingError) -> Envelope {
        let suite = recipient.prekey.suite
        do {
            let sealed = try HPKE.seal(
                frame.bytes(byteCount: pushClass.frameByteCount(suite)),
                to: recipient.prekey.key,
                info: info,
                random: &random
            )
            return Envelope(
                pushClass: pushClass,
                header: recipient.header,
                encapsulatedKey: sealed.encapsulatedKey,
                ciphertext: sealed.ciphertext
            )
        } catch {
            throw .unusablePrekey
        }
    }
}

public import Envelope
import HPKE
public import Keys
package import Primitives

extension SenderIdentity {
    /// Default longest life of a message; devices refuse one beyond their app's limit.
    public static var lifetimeMax: Duration { PreparedMessage.lifetimeMax }

    /// Seals a new message for one device: as a VoIP push if its operation is `.call`, otherwise as an alert.
    ///
    /// - Parameters:
    ///   - lifetime: time after `sentAt` in which the device may show it. By default 30 seconds for a call, which may
    ///     have 60, and a day for anything else.
    /// - Returns: the envelope, 2,880 bytes whatever the message; 3,648 for a call.
    /// - Throws: `SealingError`.
    public func seal(
        _ message: Message,
        for recipient: Recipient,
        sentAt: Timestamp,
        lifetime: Duration? = nil,
        lifetimeMax: Duration = PreparedMessage.lifetimeMax,
        overflow: Message.Overflow = .shorten
    ) throws(SealingError) -> SealedMessage {
        var random = SystemRandom()
        return try seal(
            message,
            for: recipient,
            sentAt: sentAt,
            lifetime: lifetime ?? PreparedMessage.lifetime(of: message),
            lifetimeMax: lifetimeMax,
            overflow: overflow,
            pushClass: message.pushClass,
            random: &random
        )
    }

    /// Seals a prepared message for one device, for the first time or once more.
    ///
    /// - Parameters:
    ///   - now: the sender's clock, for refusing an expired prekey or message.
    /// - Returns: the envelope, with its own encapsulation, signature and trace.
    /// - Throws: `SealingError`.
    public func seal(
        _ message: PreparedMessage,
        for recipient: Recipient,
        now: Timestamp = .now
    ) throws(SealingError) -> SealedMessage {
        var random = SystemRandom()
        return try seal(message, for: recipient, now: now, random: &random)
    }

    /// Seals a prepared message for many devices.
    ///
    /// - Returns: one result for each recipient, in their order; one failure does not affect the others.
    public func seal(
        _ message: PreparedMessage,
        for recipients: [Recipient],
        now: Timestamp = .now
    ) -> [Result<SealedMessage, SealingError>] {
        var random = SystemRandom()
        return recipients.map { recipient in
            do throws(SealingError) {
                return .success(try seal(message, for: recipient, now: now, random: &random))
            } catch {
                return .failure(error)
            }
        }
    }

    package func seal(
        _ message: Message,
        for recipient: Recipient,
        sentAt: Timestamp,
        lifetime: Duration,
        lifetimeMax: Duration = PreparedMessage.lifetimeMax,
        overflow: Message.Overflow,
        pushClass: PushClass,
        random: inout some RandomSource
    ) throws(SealingError) -> SealedMessage {
        let prepared = try PreparedMessage(
            message,
            sentAt: sentAt,
            lifetime: lifetime,
            lifetimeMax: lifetimeMax,
            overflow: overflow,
            pushClass: pushClass,
            suite: recipient.prekey.suite,
            random: &random
        )
        return try seal(prepared, for: recipient, now: sentAt, random: &random)
    }

    package func seal(
        _ message: PreparedMessage,
        for recipient: Recipient,
        now: Timestamp,
        random: inout some RandomSource
    ) throws(SealingError) -> SealedMessage {
        guard recipient.prekey.suite.rawValue == message.suite else { throw .otherSuite }
        guard now <= recipient.notAfter else { throw .prekeyExpired(at: recipient.notAfter) }
        guard now < message.expiresAt else { throw .expired(at: message.expiresAt) }
        let info = recipient.info
        var frame = message.frame(from: publicKey.rawRepresentation)
        frame.signature = key.signature(
            over: Binding.signatureInput(info: info, frameHead: frame.head, bodyDigest: message.bodyDigest)
        )
        return SealedMessage(
            envelope: try envelope(
                of: frame,
                for: recipient,
                info: info,
                pushClass: message.pushClass,
                random: &random
            ),
            messageID: message.messageID,
            isTruncated: message.isTruncated,
            trace: Trace(bytes: random.bytes(count: 16))
        )
    }

    /// Makes a fresh encapsulation for every recipient: with a shared one, a recipient could open another's copy.
    private func envelope(
        of frame: Frame,
        for recipient: Recipient,
        info: [UInt8],
        pushClass: PushClass,
        random: inout some RandomSource
    ) throws(SealingError) -> Envelope {
        let suite = recipient.prekey.suite
        do throws(HPKEError) {
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
            throw error == .randomSourceFailed ? .randomSourceFailed : .unusablePrekey
        }
    }
}

public import Envelope
import HPKE
public import Keys
package import Primitives

extension SenderIdentity {
    /// Default longest life of a message.
    public static var lifetimeMax: Duration { PreparedMessage.lifetimeMax }

    /// Seals a new message: a call for operation `.call`, otherwise an alert.
    ///
    /// - Parameters:
    ///   - message: content, and the operation.
    ///   - recipient: verified bundle.
    ///   - sentAt: sender's clock.
    ///   - lifetime: time from `sentAt` in which the device may show it. By default a day; for a call 30 seconds, at
    ///     most 60.
    ///   - lifetimeMax: limit on the app's devices, at most 30 days.
    ///   - overflow: cuts or refuses a body that does not fit.
    /// - Returns: envelope, 2,880 bytes whatever the message; 3,648 for a call.
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

    /// Seals a prepared message, for the first time or once more.
    ///
    /// - Parameters:
    ///   - message: encoded once; each sealing is another envelope.
    ///   - recipient: verified bundle.
    ///   - now: sender's clock; an expired prekey or message is refused.
    /// - Returns: envelope, with its own encapsulation, signature and trace.
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
    /// - Returns: one for each, in order, independent of the others.
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

    /// A shared encapsulation would let a recipient open another's copy.
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

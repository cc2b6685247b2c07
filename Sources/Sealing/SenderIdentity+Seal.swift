public import Envelope
import HPKE
public import Keys
package import Primitives

extension SenderIdentity {
    /// Devices refuse anything that claims to live longer than their app allows; this is the default of both.
    public static var lifetimeMax: Duration { PreparedMessage.lifetimeMax }

    /// Seals a new message for one device. One whose operation is `.call` becomes a call, which goes out as a VoIP push.
    ///
    /// - Parameters:
    ///   - message: what the person will read, or the call.
    ///   - recipient: the verified device.
    ///   - sentAt: the sender's clock.
    ///   - lifetime: how long after `sentAt` the device may show it; nil for 30 seconds for a call, which may have 60,
    ///     and a day for anything else.
    ///   - lifetimeMax: what the app configured on its devices, at most 30 days.
    ///   - overflow: what to do with a message longer than the constant length.
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
    ///   - message: encoded once.
    ///   - recipient: the verified device.
    ///   - now: the sender's clock. A recipient that was kept past its prekey's end, and a message past its own, are
    ///     refused.
    /// - Returns: the envelope, under an encapsulation, a signature and a trace of its own.
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
    /// - Parameters:
    ///   - message: encoded once.
    ///   - recipients: the verified devices.
    ///   - now: the sender's clock.
    /// - Returns: one result for each recipient, in their order: what cannot be sealed for one keeps nothing from the
    ///   others.
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

    /// A fresh encapsulation for every recipient: a shared one would let a recipient open another's copy.
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

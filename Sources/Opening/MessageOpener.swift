package import Envelope
import HPKE
import Keys
import Primitives

/// (sealed field, key ring, trusted senders, clock) → outcome. Pure, synchronous and total: no bytes make it trap.
package struct MessageOpener: Sendable {
    private let keyRing: KeyRing
    private let senders: TrustedSenders

    package init(keyRing: KeyRing, senders: TrustedSenders) {
        self.keyRing = keyRing
        self.senders = senders
    }

    /// The steps are in the order of docs/protocol.md, "Opening"; nothing of a message counts before its signature.
    ///
    /// - Parameters:
    ///   - sealedField: the payload's `sealed` string.
    ///   - now: the device's clock.
    /// - Returns: one outcome, always.
    package func open(sealedField: String, now: Timestamp) -> Outcome {
        do throws(Rejection) {
            let envelope = try parse(sealedField)
            let prekey = try prekey(id: envelope.header.prekeyID)
            let info = Binding.info(
                header: envelope.header,
                topic: keyRing.topic,
                identityKey: keyRing.identity.rawRepresentation,
                prekeyFingerprint: prekey.fingerprint
            )
            let frame = try openFrame(of: envelope, with: prekey, info: info)
            let sender = try verifySender(of: frame, info: info)
            return .opened(try message(of: frame, from: sender, now: now))
        } catch {
            return error.outcome
        }
    }

    private struct Rejection: Error {
        let outcome: Outcome
        init(_ outcome: Outcome) { self.outcome = outcome }
    }

    private func parse(_ sealedField: String) throws(Rejection) -> Envelope {
        do {
            return try Envelope(sealedField: Array(sealedField.utf8))
        } catch {
            switch error {
            case .unsupportedVersion, .unsupportedSuite: throw Rejection(.unsupported)
            case .wrongLength, .notBase64URL: throw Rejection(.malformed)
            }
        }
    }

    private func prekey(id: [UInt8]) throws(Rejection) -> PrivatePrekey {
        switch keyRing.prekey(id: id) {
        case .found(let prekey): return prekey
        case .stale, .unknown: throw Rejection(.unknownKey)
        case .locked, .unavailable: throw Rejection(.keysUnavailable)
        }
    }

    private func openFrame(
        of envelope: Envelope,
        with prekey: PrivatePrekey,
        info: [UInt8]
    ) throws(Rejection) -> Frame {
        let plaintext: [UInt8]
        do {
            plaintext = try HPKE.open(
                envelope.ciphertext[...],
                encapsulatedKey: envelope.encapsulatedKey,
                with: prekey.key,
                info: info
            )
        } catch {
            throw Rejection(.malformed)
        }
        do {
            return try Frame(bytes: plaintext)
        } catch {
            throw Rejection(error == .unknownCriticalFlag ? .unsupported : .malformed)
        }
    }

    /// An unknown sender's signature is verified too: its key may be kept for a contact request.
    private func verifySender(of frame: Frame, info: [UInt8]) throws(Rejection) -> SenderKey {
        let sender: SenderKey
        do {
            sender = try SenderKey(rawRepresentation: frame.senderKey)
        } catch {
            throw Rejection(.malformed)
        }
        let input = Binding.signatureInput(
            info: info,
            frameHead: frame.head,
            bodyDigest: SHA256.hash(frame.body)
        )
        guard sender.key.isValid(signature: frame.signature, over: input) else { throw Rejection(.malformed) }
        guard senders.contains(sender) else { throw Rejection(.unverifiedSender(sender)) }
        return sender
    }

    private func message(of frame: Frame, from sender: SenderKey, now: Timestamp) throws(Rejection) -> OpenedMessage {
        let sentAt = Timestamp(milliseconds: frame.sentAt)
        let expiresAt = Timestamp(milliseconds: frame.expiresAt)
        switch ClockBound(now: now).judge(sentAt: sentAt, expiresAt: expiresAt) {
        case .inTime: break
        case .malformed: throw Rejection(.malformed)
        case .expired: throw Rejection(.expired)
        case .fromTheFuture: throw Rejection(.clockUntrusted)
        }
        let message: Message
        do {
            message = try Message(sealedBody: frame.body)
        } catch {
            throw Rejection(error == .unsupported ? .unsupported : .malformed)
        }
        return OpenedMessage(
            message: message,
            messageID: frame.messageID,
            sentAt: sentAt,
            expiresAt: expiresAt,
            sender: sender,
            isTruncated: frame.flags.contains(.truncated)
        )
    }
}

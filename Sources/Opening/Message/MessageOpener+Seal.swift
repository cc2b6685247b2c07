import Envelope
import HPKE
import Keys
import Primitives

// Steps 1 to 5 (docs/protocol.md, section 8): from the sealed field to a known sender.
extension MessageOpener {
    func parse(_ sealedField: String) throws(Rejection) -> Envelope {
        do throws(EnvelopeError) {
            let envelope = try Envelope(sealedField: Array(sealedField.utf8))
            guard envelope.pushClass == pushClass else {
                throw EnvelopeError.wrongLength(count: sealedField.utf8.count)
            }
            return envelope
        } catch {
            switch error {
            case .unsupportedVersion, .unsupportedSuite: throw Rejection(.unsupported)
            case .wrongLength, .notBase64URL: throw Rejection(.malformed)
            }
        }
    }

    func prekey(for header: EnvelopeHeader) throws(Rejection) -> PrivatePrekey {
        switch keyRing.prekey(id: header.prekeyID) {
        case .found(let prekey): return prekey
        case .locked: throw Rejection(.locked)
        case .stale: throw Rejection(.staleKey)
        case .unknown: throw Rejection(.unknownKey)
        case .unavailable: throw Rejection(.keysUnavailable)
        }
    }

    func openFrame(
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

    /// Verifies unknown senders too: the key may be kept for a contact request.
    func verifySender(of frame: Frame, info: [UInt8]) throws(Rejection) -> (contact: Contact, retired: RetiredKey?) {
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
        do throws(ContactListError) {
            if let known = try contacts.sender(sender) { return known }
        } catch {
            // Without a list, contacts and strangers are indistinguishable.
            throw Rejection(.keysUnavailable)
        }
        throw strangerRejection(sender)
    }

    func strangerRejection(_ sender: SenderKey) -> Rejection {
        switch contacts.unknownSenders {
        case .placeholder: Rejection(.unverifiedSender(sender))
        case .refuse: Rejection(.malformed)
        }
    }
}

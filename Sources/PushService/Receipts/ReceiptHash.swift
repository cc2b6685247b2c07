package import Envelope
import Keys
import Primitives

/// What the service keeps of a receipt's capability: a hash, so that nobody who reads the database can give a receipt.
///
/// The capability itself is 16 random bytes that the sender makes for one message and one recipient, and that travel
/// sealed. The service sees it when it is used up, and not before; it cannot make one, and no opened message means none.
///
/// - Source: docs/protocol.md section 6, `receipt`; protocol v1, rule 37.
package struct ReceiptHash: Hashable, Sendable {
    /// 32 bytes: SHA-256 over a context string and the capability.
    package let bytes: [UInt8]

    /// Of a capability that a receipt brings.
    package init(of capability: ReceiptCapability) {
        bytes = capability.digest
    }

    /// As a sender gives it beside the sealed field.
    ///
    /// - Returns: nil unless the text is 43 characters of base64url.
    package init?(text: String) {
        guard text.utf8.count == 43, let bytes = Base64URL.decode(Array(text.utf8)), bytes.count == SHA256.byteCount
        else {
            return nil
        }
        self.bytes = bytes
    }

    /// 43 characters of base64url.
    package var text: String { Base64URL.string(bytes) }
}

/// What a receipt says. Coarse on purpose: there is no code for a failure, since a message that did not open has no
/// capability.
package enum ReceiptCode: String, CaseIterable, Sendable {
    case opened
}

/// What becomes of one receipt of a batch.
package enum ReceiptVerdict: Equatable, Sendable {
    /// The first one: the notification has been received.
    case received
    /// Used before: nothing changes.
    case repeated
    /// Nobody asked for it, or its notification is forgotten.
    case unknown

    /// Whoever sends a receipt hears the same, whatever it was good for: an answer that differed would tell which
    /// capabilities exist.
    package static let answerStatus = 204

    /// - Parameters:
    ///   - isKnown: whether a notification waits, or waited, for this hash.
    ///   - isUsed: whether it has been used up.
    package init(isKnown: Bool, isUsed: Bool) {
        self = !isKnown ? .unknown : isUsed ? .repeated : .received
    }
}

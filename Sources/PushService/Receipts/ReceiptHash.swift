package import Envelope
import Keys
import Primitives

/// The hash of a receipt capability. A reader of the database cannot send a receipt with it.
///
/// The sender makes the capability, 16 random bytes for one message and recipient, and seals it. The service first sees
/// it in the receipt, and cannot make one. A message that is not opened gives none.
///
/// - Source: docs/protocol.md section 6, `receipt`; protocol v1, rule 37.
package struct ReceiptHash: Hashable, Sendable {
    /// 32 bytes: SHA-256 over a context string and the capability.
    package let bytes: [UInt8]

    package init(of capability: ReceiptCapability) {
        bytes = capability.digest
    }

    /// Decodes the hash that a sender submits.
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

/// The content of a receipt. There is no code for a failure, since a message that did not open yields no capability.
package enum ReceiptCode: String, CaseIterable, Sendable {
    case opened
}

/// The result of one receipt.
package enum ReceiptVerdict: Equatable, Sendable {
    /// The first one: the notification has been received.
    case received
    /// Used before: nothing changes.
    case repeated
    /// Never requested, or its notification is forgotten.
    case unknown

    /// The status of every result: a different one would reveal which capabilities exist.
    package static let answerStatus = 204

    package init(isKnown: Bool, isUsed: Bool) {
        self = !isKnown ? .unknown : isUsed ? .repeated : .received
    }
}

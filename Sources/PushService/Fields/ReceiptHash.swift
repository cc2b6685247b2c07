package import Envelope
import Keys
import Primitives

/// Hash of a receipt capability, from which no reader of the database can make a receipt.
///
/// The sender makes and seals the capability; the service first sees it in the receipt.
///
/// - Source: docs/protocol.md section 6, `receipt`; protocol v1, rule 37.
package struct ReceiptHash: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(of capability: ReceiptCapability) {
        bytes = capability.digest
    }

    /// Decodes 43 characters of base64url.
    package init?(text: String) {
        guard text.utf8.count == 43, let bytes = Base64URL.decode(Array(text.utf8)), bytes.count == SHA256.byteCount
        else {
            return nil
        }
        self.bytes = bytes
    }

    package var text: String { Base64URL.string(bytes) }
}

/// No code for a failure: a message that did not open yields no capability.
package enum ReceiptCode: String, CaseIterable, Sendable {
    case opened
}

package enum ReceiptVerdict: Equatable, Sendable {
    case received
    case repeated
    /// Never requested, or forgotten.
    case unknown

    /// Same for all: a difference would reveal existing capabilities.
    package static let answerStatus = 204

    package init(isKnown: Bool, isUsed: Bool) {
        self = !isKnown ? .unknown : isUsed ? .repeated : .received
    }
}

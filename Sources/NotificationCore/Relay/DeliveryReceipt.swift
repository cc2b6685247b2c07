public import Envelope
import Opening

/// A word to the sender's side that a message arrived, and nothing else: not which, not when, not on what device. It is an
/// online signal all the same, which is why an app has to turn receipts on (protocol v1, rule 37).
public struct DeliveryReceipt: Hashable, Sendable {
    /// What is said. Coarse on purpose, and with no code for a failure: a message that could not be opened has no
    /// capability, so that nobody learns from receipts what a device can open.
    public enum Code: UInt8, CaseIterable, Sendable {
        /// Opened, by the extension or by the app.
        case opened = 1

        /// The word for it in the relay's API.
        public var word: String {
            switch self {
            case .opened: "opened"
            }
        }
    }

    /// What came with the message, to be used up.
    public let capability: ReceiptCapability
    /// What became of it.
    public let code: Code

    /// - Parameters:
    ///   - capability: what came with the message.
    ///   - code: what became of it.
    public init(capability: ReceiptCapability, code: Code = .opened) {
        self.capability = capability
        self.code = code
    }
}

extension NotificationContent {
    /// The receipt that the sender asked for. Only of what was opened: strangers and failures have nothing to give one for.
    var receipt: DeliveryReceipt? {
        guard case .opened(let opened) = outcome else { return nil }
        return opened.message.receipt.map { DeliveryReceipt(capability: $0) }
    }
}

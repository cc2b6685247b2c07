public import Envelope
import Opening

/// Statement to the sender's side that a message arrived: not which, when or where. It signals presence, so an app has
/// to turn receipts on (protocol v1, rule 37).
public struct DeliveryReceipt: Hashable, Sendable {
    /// Coarse result. There is no failure code: unopened messages have no capability, so that receipts reveal nothing
    /// of what a device can open.
    public enum Code: UInt8, CaseIterable, Sendable {
        /// Opened, by extension or app.
        case opened = 1

        /// Word in the relay's API.
        public var word: String {
            switch self {
            case .opened: "opened"
            }
        }
    }

    /// Single-use capability of the message.
    public let capability: ReceiptCapability
    /// Result.
    public let code: Code

    /// Creates a receipt with a message's capability.
    public init(capability: ReceiptCapability, code: Code = .opened) {
        self.capability = capability
        self.code = code
    }
}

extension NotificationContent {
    /// Requested receipt of an opened message; unknown senders and failures get none.
    var receipt: DeliveryReceipt? {
        guard case .opened(let opened) = outcome else { return nil }
        return opened.message.receipt.map { DeliveryReceipt(capability: $0) }
    }
}

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
    /// What its sender asked for. Only of what was opened: strangers and failures have nothing to give one for.
    var receipt: DeliveryReceipt? {
        guard case .opened(let opened) = outcome else { return nil }
        return opened.message.receipt.map { DeliveryReceipt(capability: $0) }
    }
}

/// Takes receipts to the one place that the app knows for them: an endpoint that is a constant of the app, never one that
/// came with a message.
public protocol ReceiptSender: Sendable {
    /// Sends them, in one request if it can.
    ///
    /// - Parameter receipts: each with a capability of its own. A place that has seen one already says so and nothing more.
    /// - Throws: whatever went wrong; the receipts are kept for the app then, as they are when the task is cancelled.
    func send(_ receipts: [DeliveryReceipt]) async throws
}

/// What an extension does with the receipts that messages ask for.
public enum ReceiptPolicy: Sendable {
    /// Nothing: whether somebody is there is nobody's business.
    case off
    /// Keeps them for the app, which sends them when it runs.
    case keptForTheApp
    /// Sends them while attachments are fetched, or in what time iOS leaves after the answer, 0 to 5 seconds after the
    /// text was opened; what was not sent is kept for the app.
    case sent(by: any ReceiptSender)
}

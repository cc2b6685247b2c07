public import Envelope
package import Keys

/// The way to an app's relay for a device's reports: receipts, and requests for messages that it could not open.
///
/// `RelayClient`, of the product of that name, is the way to `sealedpushd`. The endpoint is a constant of the app, never one
/// that came with a message (protocol v1, rule 37).
///
/// Both calls may come again with the same reports: a report is forgotten only after a call that had it has returned. The
/// relay counts each once.
public protocol Relay: Sendable {
    /// Sends receipts, in one request.
    ///
    /// - Parameter receipts: 1 to 256, each with a capability of its own.
    /// - Throws: any error; the receipts are kept then, and sent with the next push or by the app.
    func send(_ receipts: [DeliveryReceipt]) async throws

    /// Asks for messages to be sealed and sent again, in one request.
    ///
    /// - Parameter requests: 1 to 64, each with a trace of its own.
    /// - Throws: any error; the requests are kept then, and made with the next push or by the app.
    func requestResends(_ requests: [ResendRequest]) async throws
}

/// A request for a message that was sealed to a prekey which this device does not have (protocol v1, rule 20). Trace and
/// prekey id are all that is known of a message that cannot be opened. It needs no authentication: it reveals a trace that
/// the relay has seen, and asks for a push that the relay could send anyway.
public struct ResendRequest: Hashable, Sendable {
    /// Of the push that could not be opened.
    public let trace: Trace
    /// What it was sealed to: 8 bytes, 11 characters of base64url.
    public let prekeyID: String

    package init(trace: Trace, prekeyID: PrekeyID) {
        self.trace = trace
        self.prekeyID = Base64URL.string(prekeyID.bytes)
    }
}

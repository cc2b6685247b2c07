public import Envelope
package import Keys

/// Connection to the app's relay, for receipts and re-send requests; `RelayClient` speaks to `sealedpushd`.
///
/// The endpoint is an app's constant, never from a message (protocol v1, rule 37). Reports are removed after a
/// successful call, so calls may repeat them; the relay counts each once.
public protocol Relay: Sendable {
    /// Sends receipts in one request.
    ///
    /// - Parameter receipts: 1 to 256, distinct.
    /// - Throws: any error; they go with the next push or by the app.
    func send(_ receipts: [DeliveryReceipt]) async throws

    /// Requests re-sends in one request.
    ///
    /// - Parameter requests: 1 to 64, distinct traces.
    /// - Throws: any error; they go with the next push or by the app.
    func requestResends(_ requests: [ResendRequest]) async throws

    /// Fetches a server's message that was too long for its push (protocol v1, section 18). Encrypted.
    ///
    /// - Parameter name: 43 characters of base64url.
    /// - Returns: nil if the relay has none of this name any more.
    /// - Throws: any error; the app fetches it later.
    func record(_ name: String) async throws -> [UInt8]?
}

/// Request to re-send a message whose prekey is missing (protocol v1, rule 20). Needs no authentication: it reveals a
/// trace that the relay knows, and asks for a push that the relay could send anyway.
public struct ResendRequest: Hashable, Sendable {
    /// Trace of the push.
    public let trace: Trace
    /// Id of the missing prekey: 8 bytes, 11 base64url characters.
    public let prekeyID: String

    package init(trace: Trace, prekeyID: PrekeyID) {
        self.trace = trace
        self.prekeyID = Base64URL.string(prekeyID.bytes)
    }
}

package import HTTP

/// Pages on the control port, with calls of their own. On the simulator's loop, which they do not block.
package protocol ControlPages: AnyObject, Sendable {
    /// File without secrets; nil for another path.
    func file(_ request: HTTPRequest) -> HTTPAnswer?
    /// Limit of a call's body; nil for a path that is not theirs.
    func bodyByteCountMax(_ path: String) -> Int?
    /// Answers a call with the secret, now or later.
    func answer(_ request: HTTPRequest, _ responder: HTTPResponder)
}

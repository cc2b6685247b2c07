public import APNS
public import Networking

/// Receives a client's events, which hold no secret and nothing of a payload.
public protocol APNSClientObserver: Sendable {
    /// Called on the client's loop.
    func record(_ event: APNSClientEvent)
}

/// An event; connections are numbered from 1.
public enum APNSClientEvent: Sendable, Equatable {
    case connecting(connection: Int)
    case connected(connection: Int)
    /// Concurrent pushes that the peer's SETTINGS allow.
    case streamLimit(connection: Int, Int)
    case connectFailed(connection: Int, TransportError)
    /// APNs ends a connection, perhaps with a reason.
    case goAway(connection: Int, RejectionBody?, code: UInt32)
    /// nil: closed in order.
    case closed(connection: Int, TransportError?)
    /// Alarm: APNs refuses the credential; the client stops until `replaceCredential` or `resume`.
    case suspended(Reason)
    case resumed
    /// Alarm: too many refusals; nothing is sent during the pause.
    case breakerOpened(pause: Duration)
    /// Answered push.
    case answered(APNSResponse, trace: String?, duration: Duration)
    /// Re-sent push.
    case resent(APNSID, trace: String?, ResendCause, isMaybeDuplicate: Bool)
    /// Push without an answer.
    case failed(APNSID, trace: String?, ProviderError)
}

/// Cause of a resend.
public enum ResendCause: Sendable, Equatable {
    case failure(RequestFailure)
    /// A refusal that concerns the connection or token more than the push.
    case refusal(Reason)
}

extension APNSClientEvent: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .connecting(let connection): "connection \(connection): connecting"
        case .connected(let connection): "connection \(connection): connected"
        case .streamLimit(let connection, let count): "connection \(connection): \(count) pushes at once"
        case .connectFailed(let connection, let error): "connection \(connection): failed: \(error)"
        case .goAway(let connection, let body, let code):
            "connection \(connection): GOAWAY \(code) \(body?.reasonText ?? "without a reason")"
        case .closed(let connection, let error):
            "connection \(connection): closed\(error.map { ": \($0)" } ?? "")"
        case .suspended(let reason): "suspended: APNs says \(reason.rawValue); replace the credential, or resume"
        case .resumed: "resumed"
        case .breakerOpened(let pause): "paused for \(pause): too many pushes are refused"
        case .answered(let response, let trace, let duration):
            "push \(response.id)\(Self.text(trace)): \(response.status) \(response.reason?.rawValue ?? "")"
                + " in \(duration), attempt \(response.attemptCount)"
        case .resent(let id, let trace, let cause, let isMaybeDuplicate):
            "push \(id)\(Self.text(trace)): sent again after \(cause)\(isMaybeDuplicate ? ", maybe twice" : "")"
        case .failed(let id, let trace, let error): "push \(id)\(Self.text(trace)): failed: \(error)"
        }
    }

    private static func text(_ trace: String?) -> String { trace.map { " trace \($0)" } ?? "" }
}

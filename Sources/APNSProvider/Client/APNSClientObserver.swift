public import APNS
public import Transport

/// Told what a client does: for metrics, logs and alarms. Nothing in an event is secret or comes from a payload.
public protocol APNSClientObserver: Sendable {
    /// Called on the client's loop.
    func record(_ event: APNSClientEvent)
}

/// Connections are numbered from 1 in the order they were begun.
public enum APNSClientEvent: Sendable, Equatable {
    case connecting(connection: Int)
    case connected(connection: Int)
    /// The peer's SETTINGS: how many pushes it now allows at once.
    case streamLimit(connection: Int, Int)
    case connectFailed(connection: Int, TransportError)
    /// APNs ends a connection, with its reason if it gave one.
    case goAway(connection: Int, RejectionBody?, code: UInt32)
    /// Nil: in order.
    case closed(connection: Int, TransportError?)
    /// An alarm: APNs does not believe the credential, and the lane stands still until it is replaced or resumed.
    case suspended(Reason)
    case resumed
    /// An alarm: too many refusals; nothing is sent until then.
    case breakerOpened(pause: Duration)
    /// One push has its answer.
    case answered(APNSResponse, trace: String?, duration: Duration)
    /// One push goes out again.
    case resent(APNSID, trace: String?, ResendCause, isMaybeDuplicate: Bool)
    /// One push got no answer.
    case failed(APNSID, trace: String?, ProviderError)
}

/// Why a push goes out again.
public enum ResendCause: Sendable, Equatable {
    case failure(RequestFailure)
    /// An answer that says more of the connection than of the push.
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

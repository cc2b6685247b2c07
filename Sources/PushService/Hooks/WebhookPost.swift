/// One body for one tenant's server, and how to get there.
package struct WebhookPost: Sendable {
    static let userAgent = "SealedPush"

    package let destination: WebhookConfiguration
    /// The same in every repetition: by it a receiver knows what it has had. Printable ASCII without a period, which ends it in
    /// what is signed.
    package let id: String
    /// JSON.
    package let body: [UInt8]

    package init(to destination: WebhookConfiguration, id: String, body: [UInt8]) {
        self.destination = destination
        self.id = id
        self.body = body
    }
}

/// What became of a post. Says nothing of what was in it, nor of where it went.
package enum WebhookResult: Equatable, Sendable {
    /// The server's answer; its body was not looked at.
    case answered(status: Int)
    /// No byte of it went out.
    case notSent(Fault)
    /// It went out, at least in part, and nobody knows what became of it.
    case lost

    package enum Fault: Error, Equatable, Sendable {
        /// The name leads to an address that is not allowed, or to none.
        case address(AddressJudge.Refusal)
        case secret(WebhookSecret.Fault)
        case notReached
        /// The server did not prove who it is.
        case notTrusted
        /// The service ends.
        case cancelled
        /// Its permission to begin was refused: there is nothing to send any more.
        case calledOff
        /// The store did not write down that it begins.
        case store
    }

    /// Whether the server was not reached, or said nothing.
    var isTheServersFault: Bool {
        switch self {
        case .answered, .notSent(.cancelled), .notSent(.calledOff), .notSent(.store): false
        case .lost, .notSent: true
        }
    }

    /// For a log line.
    package var words: String {
        switch self {
        case .answered(let status): "status \(status)"
        case .notSent(.address(let refusal)): "address \(refusal.rawValue)"
        case .notSent(.secret(let fault)): "secret file \(fault.rawValue)"
        case .notSent(.notReached): "not reached"
        case .notSent(.notTrusted): "not trusted"
        case .notSent(.cancelled): "cancelled"
        case .notSent(.calledOff): "called off"
        case .notSent(.store): "store failed"
        case .lost: "lost"
        }
    }
}

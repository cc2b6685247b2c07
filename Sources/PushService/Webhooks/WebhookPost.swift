package struct WebhookPost: Sendable {
    static let userAgent = "SealedPush"

    package let destination: WebhookConfiguration
    /// The same in every retry. Printable ASCII without a period, which ends it in the signed text.
    package let id: String
    package let body: [UInt8]

    package init(to destination: WebhookConfiguration, id: String, body: [UInt8]) {
        self.destination = destination
        self.id = id
        self.body = body
    }
}

/// Result of a post, without content or destination.
package enum WebhookResult: Equatable, Sendable {
    /// The body is ignored.
    case answered(status: Int)
    /// No byte went out.
    case notSent(WebhookError)
    /// At least a part went out.
    case lost

    /// True if the server was not reached or did not answer.
    var isTheServersFault: Bool {
        switch self {
        case .answered, .notSent(.cancelled), .notSent(.calledOff), .notSent(.store): false
        case .lost, .notSent: true
        }
    }

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

package enum WebhookError: Error, Equatable, Sendable {
    /// No address for the name, or none allowed.
    case address(AddressError)
    case secret(WebhookSecretError)
    case notReached
    case notTrusted
    /// Stopping service.
    case cancelled
    /// `mayBegin` refused: nothing is left to send.
    case calledOff
    /// Start not recorded by the store.
    case store
}

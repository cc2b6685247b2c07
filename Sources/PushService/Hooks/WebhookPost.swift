import Envelope
import HTTPSClient
import Primitives

/// One body for one tenant's server, and how to get there.
package struct WebhookPost: Sendable {
    /// Beside the signature's, which is `WebhookSignature.fieldName`.
    package static let deliveryFieldName = "sealedpush-delivery"
    static let userAgent = "SealedPush"

    package let destination: WebhookConfiguration
    /// The same in every repetition: by it a receiver knows what it has had. Printable ASCII.
    package let deliveryID: String
    /// JSON.
    package let body: [UInt8]

    package init(to destination: WebhookConfiguration, deliveryID: String, body: [UInt8]) {
        self.destination = destination
        self.deliveryID = deliveryID
        self.body = body
    }

    /// The request, signed with the secrets as they are in their files now.
    ///
    /// - Parameter time: goes into the signature.
    /// - Returns: without body, pin and patience.
    /// - Throws: what is wrong with a secret's file.
    func request(at time: Timestamp) throws(SecretFile.Fault) -> HTTPSRequest {
        let target = destination.target
        let isIPv6 = target.literal?.isIPv4 == false
        let host = isIPv6 ? "[\(target.host)]" : target.host
        var request = HTTPSRequest(.post, "\(target.isTLS ? "https" : "http")://\(host):\(target.port)\(target.path)")
        request.allowsPlainHTTP = !target.isTLS
        if let authorities = destination.authoritiesFile { request.trust = .file(path: authorities) }
        request.fields = [
            ("content-type", "application/json"), ("user-agent", Self.userAgent),
            (Self.deliveryFieldName, deliveryID), (WebhookSignature.fieldName, try signature(at: time)),
        ]
        return request
    }

    private func signature(at time: Timestamp) throws(SecretFile.Fault) -> String {
        let seconds = Int64(clamping: time.milliseconds / 1_000)
        let secret = try SecretFile.read(destination.secretFile)
        let field = WebhookSignature.field(body: body, unixSeconds: seconds, secret: secret)
        guard let oldFile = destination.oldSecretFile else { return field }
        let oldSecret = try SecretFile.read(oldFile)
        let old = WebhookSignature.field(body: body, unixSeconds: seconds, secret: oldSecret)
        return field + (old.utf8.firstIndex(of: UInt8(ascii: ",")).map { String(old[$0...]) } ?? "")
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

    package enum Fault: Equatable, Sendable {
        /// The name leads to an address that is not allowed, or to none.
        case address(AddressJudge.Refusal)
        case secret(SecretFile.Fault)
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

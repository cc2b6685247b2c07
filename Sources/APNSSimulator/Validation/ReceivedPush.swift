import APNS
package import Transport

/// A request exactly as it reached the simulator: what Apple sees. Only the provider token is left out, because whoever
/// has it can push.
package final class ReceivedPush: Sendable {
    /// What stands in the place of the `authorization` value.
    package static let withheld = Array("(withheld)".utf8)

    /// Every header field in the order it came, pseudo-headers and unknown ones included. Empty where only the journal listens.
    package let headers: HeaderBlock
    /// The body's bytes; empty when there were more than any push may have.
    package let payload: [UInt8]
    /// How many bytes the body really had.
    package let payloadByteCount: Int
    /// The `apns-id` of the answer.
    package let answeredID: [UInt8]
    /// Remarks on its headers, if it was accepted.
    private let headerLints: [Lint]
    /// `nil`: it was not accepted.
    private let pushType: PushType?

    /// Copies the headers only if they are read: with `hasHeaders`.
    init(_ request: HTTP2ServerRequest, _ verdict: RequestValidator.Verdict, hasHeaders: Bool) {
        headers = hasHeaders ? Self.headers(of: request) : HeaderBlock()
        payload = request.body
        payloadByteCount = request.bodyByteCount
        answeredID = verdict.answeredID
        switch verdict.result {
        case .success(let push): (headerLints, pushType) = (push.lints, push.pushType)
        case .failure: (headerLints, pushType) = ([], nil)
        }
    }

    /// Remarks on it, if it was accepted.
    var lints: [Lint] { headerLints + (pushType.map { Lint.all(in: payload, $0) } ?? []) }

    private static func headers(of request: HTTP2ServerRequest) -> HeaderBlock {
        var headers = HeaderBlock()
        for field in request.headers {
            let isSecret = field.name.spells(HeaderName.authorization)
            headers.append(Array(field.name), isSecret ? withheld : Array(field.value))
        }
        return headers
    }
}

/// A push names a device: nothing prints it by accident.
extension ReceivedPush: CustomStringConvertible, CustomReflectable {
    package var description: String { "ReceivedPush(\(payloadByteCount) bytes)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

import APNS
package import HTTP

/// Request as Apple would see it, without the secret provider token.
package final class ReceivedPush: Sendable {
    /// Substitute for the `authorization` value.
    package static let withheld = Array("(withheld)".utf8)

    /// In their order, with unknown fields. Empty if only the journal listens.
    package let headers: HeaderBlock
    /// Empty if larger than any push may be.
    package let payload: [UInt8]
    /// Original size of the body.
    package let payloadByteCount: Int
    package let answeredID: [UInt8]
    private let headerLints: [Lint]
    /// `nil` if it was refused.
    private let pushType: PushType?

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

/// A push names a device: default printing shows only its size.
extension ReceivedPush: CustomStringConvertible, CustomReflectable {
    package var description: String { "ReceivedPush(\(payloadByteCount) bytes)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

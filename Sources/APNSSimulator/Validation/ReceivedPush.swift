import APNS
package import Transport

/// A request exactly as it reached the simulator: what Apple sees. Only the provider token is left out, because whoever
/// has it can push.
package struct ReceivedPush: Sendable {
    /// What stands in the place of the `authorization` value.
    package static let withheld = Array("(withheld)".utf8)

    /// Every header field in the order it came, pseudo-headers and unknown ones included.
    package let headers: HeaderBlock
    /// The body's bytes; empty when there were more than any push may have.
    package let payload: [UInt8]
    /// How many bytes the body really had.
    package let payloadByteCount: Int
    /// The `apns-id` of the answer.
    package let answeredID: [UInt8]

    init(_ request: HTTP2ServerRequest, answeredID: [UInt8]) {
        var headers = HeaderBlock()
        for field in request.headers {
            let isSecret = field.name.spells(HeaderName.authorization)
            headers.append(Array(field.name), isSecret ? Self.withheld : Array(field.value))
        }
        self.headers = headers
        payload = request.body
        payloadByteCount = request.bodyByteCount
        self.answeredID = answeredID
    }
}

/// A push names a device: nothing prints it by accident.
extension ReceivedPush: CustomStringConvertible, CustomReflectable {
    package var description: String { "ReceivedPush(\(payloadByteCount) bytes)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

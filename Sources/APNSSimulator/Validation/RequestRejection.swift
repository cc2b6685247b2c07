package import APNS

package struct RequestRejection: Error, Equatable, Sendable {
    package let reason: Reason
    /// Milliseconds since 1970, with a 410 only.
    package let timestampMilliseconds: Int64?

    init(_ reason: Reason, timestampMilliseconds: Int64? = nil) {
        self.reason = reason
        self.timestampMilliseconds = timestampMilliseconds
    }

    package var body: RejectionBody { RejectionBody(reason, timestampMilliseconds: timestampMilliseconds) }
}

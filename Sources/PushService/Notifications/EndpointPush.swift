import Envelope
import Keys
import PushStore

/// Server's push that may go to its endpoint.
struct EndpointPush {
    let request: WebPushRequest
    let target: EndpointTarget
    let app: ServiceSettings.App
    /// Under which servers reach the relay.
    let origin: String
    /// An envelope, or a record of RFC 8291 or of `aesgcm` in the same form.
    let record: [UInt8]
    let trace: Trace

    /// Field of the push. An envelope's prekey id names its key; a record's endpoint does, and one that is too long is
    /// fetched.
    ///
    /// - Returns: nil for a push without a body.
    func field() throws(SealedFieldError) -> SealedField? {
        guard request.encoding != .none else { return nil }
        guard request.encoding != .envelope else {
            return try SealedField(sealed: Base64URL.string(record), for: .alert)
        }
        var field =
            isTooLong
            ? SealedField(fetching: request.isDraft) : try SealedField(record: record, isDraft: request.isDraft)
        field.endpoint = EndpointID(target.endpoint.hash)
        return field
    }

    /// True if the record does not fit into a push.
    var isTooLong: Bool { request.encoding != .envelope && (record.count * 8 + 5) / 6 > room }

    /// Characters for the record.
    private var room: Int { app.webPushRoom - SealedPayload.endpointByteCount }

    /// Life of a record that is fetched; a push of a single attempt may be there after an hour.
    static let lifetimeSecondsMin: Int64 = 3_600

    func kept(now: Timestamp) -> KeptRecord {
        KeptRecord(
            name: EndpointID(target.endpoint.hash).recordName(in: trace),
            endpoint: target.endpoint.hash,
            expiry: now.advanced(by: .seconds(max(request.expirySeconds, Self.lifetimeSecondsMin))),
            bytes: record
        )
    }
}

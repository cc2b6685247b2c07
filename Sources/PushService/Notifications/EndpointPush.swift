import PushStore

/// Server's push that may go to its endpoint.
struct EndpointPush {
    let request: WebPushRequest
    let target: EndpointTarget
    let app: ServiceSettings.App
    /// Under which servers reach the relay.
    let origin: String
    /// One of RFC 8291.
    let record: [UInt8]
}

/// Header names of a push, in lower case: required by Apple since 2018, and by HTTP/2.
///
/// - Source: "Sending notification requests to APNs", "Handling notification responses from APNs".
package enum HeaderName {
    package static let method: StaticString = ":method"
    package static let scheme: StaticString = ":scheme"
    package static let authority: StaticString = ":authority"
    package static let path: StaticString = ":path"
    package static let authorization: StaticString = "authorization"
    package static let contentType: StaticString = "content-type"
    package static let id: StaticString = "apns-id"
    package static let pushType: StaticString = "apns-push-type"
    package static let topic: StaticString = "apns-topic"
    package static let priority: StaticString = "apns-priority"
    package static let expiration: StaticString = "apns-expiration"
    package static let collapseID: StaticString = "apns-collapse-id"
    package static let channelID: StaticString = "apns-channel-id"
    package static let requestID: StaticString = "apns-request-id"
    package static let uniqueID: StaticString = "apns-unique-id"
}

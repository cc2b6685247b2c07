import APNS
import HTTP

/// Encodes a push as header fields, by Apple's advice for APNs' small compression table.
///
/// - Source: "Sending notification requests to APNs", on HPACK: `:path` and `authorization` are not indexed; `apns-id`,
///   `apns-expiration` and `apns-collapse-id` are indexed the first time, for their names.
struct RequestEncoder {
    /// Fields of every push.
    private let start: HeaderBlock
    private var hasSentID = false
    private var hasSentExpiration = false
    private var hasSentCollapseID = false

    init(authority: [UInt8]) {
        var start = HeaderBlock()
        start.append(HeaderName.method, "POST")
        start.append(HeaderName.scheme, "https")
        start.append(HeaderName.authority, authority)
        self.start = start
    }

    /// Replaces the content of `headers`, whose memory is reused; pseudo-headers come first.
    mutating func encode(
        _ notification: borrowing PushNotification,
        _ token: ProviderToken?,
        into headers: inout HeaderBlock
    ) {
        headers.replaceAll(with: start)
        headers.append(HeaderName.path, indexing: .notIndexed) { path in
            path += Self.pathStart
            notification.deviceToken.appendHex(to: &path)
        }
        if let token { headers.append(HeaderName.authorization, token.authorization, indexing: .neverIndexed) }
        headers.append(HeaderName.id, indexing: Self.indexing(&hasSentID)) { text in
            notification.id.appendText(to: &text)
        }
        headers.append(HeaderName.pushType, notification.pushType.headerValue)
        headers.append(HeaderName.topic, notification.topic.bytes)
        if let priority = notification.priority { headers.append(HeaderName.priority, priority.headerValue) }
        if let expiration = notification.expiration {
            headers.append(HeaderName.expiration, indexing: Self.indexing(&hasSentExpiration)) { text in
                expiration.appendHeaderValue(to: &text)
            }
        }
        if let collapseID = notification.collapseID {
            headers.append(HeaderName.collapseID, collapseID.bytes, indexing: Self.indexing(&hasSentCollapseID))
        }
    }

    private static let pathStart = Array("/3/device/".utf8)

    private static func indexing(_ hasSent: inout Bool) -> HeaderBlock.Indexing {
        defer { hasSent = true }
        return hasSent ? .notIndexed : .indexed
    }
}

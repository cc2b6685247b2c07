import APNS
import HTTP

/// Encodes a push as header fields, by Apple's advice for APNs' small compression table.
///
/// - Source: "Sending notification requests to APNs", on HPACK: `:path` and `authorization` are not indexed; `apns-id`,
///   `apns-expiration` and `apns-collapse-id` are indexed the first time, for their names.
struct RequestEncoder {
    /// Names, order and lengths of the fields, and the values that most pushes share.
    private struct Form {
        let tokenByteCount: Int
        let authorization: [UInt8]?
        let topic: Topic
        let pushType: PushType
        let priority: Priority?
        let expirationDigitCount: Int?
        let collapseIDByteCount: Int?

        init(_ notification: borrowing PushNotification, _ token: ProviderToken?) {
            tokenByteCount = notification.deviceToken.bytes.count
            authorization = token?.authorization
            topic = notification.topic
            pushType = notification.pushType
            priority = notification.priority
            expirationDigitCount = notification.expiration?.digitCount
            collapseIDByteCount = notification.collapseID?.bytes.count
        }

        func fits(_ notification: borrowing PushNotification, _ token: ProviderToken?) -> Bool {
            tokenByteCount == notification.deviceToken.bytes.count && authorization == token?.authorization
                && topic == notification.topic && pushType == notification.pushType && priority == notification.priority
                && expirationDigitCount == notification.expiration?.digitCount
                && collapseIDByteCount == notification.collapseID?.bytes.count
        }
    }

    /// Fields of every push.
    private let start: HeaderBlock
    /// Fields of the last push.
    private(set) var headers = HeaderBlock()
    /// The last push's, once it has nothing that is indexed for its name only.
    private var form: Form?
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

    /// Replaces `headers`; pseudo-headers come first.
    mutating func encode(_ notification: borrowing PushNotification, _ token: ProviderToken?) {
        if let form, form.fits(notification, token) { return replace(notification, idIndex: token == nil ? 4 : 5) }
        let hadSent = (hasSentID, hasSentExpiration, hasSentCollapseID)
        write(notification, token)
        form = hadSent == (hasSentID, hasSentExpiration, hasSentCollapseID) ? Form(notification, token) : nil
    }

    /// Overwrites what differs.
    private mutating func replace(_ notification: borrowing PushNotification, idIndex: Int) {
        headers.overwrite(start.count) { bytes, start in
            notification.deviceToken.writeHex(to: &bytes, at: start + Self.pathStart.count)
        }
        headers.overwrite(idIndex) { bytes, start in notification.id.writeText(to: &bytes, at: start) }
        // Behind the id are push type, topic, and priority if there is one.
        var index = idIndex + (notification.priority == nil ? 3 : 4)
        if let expiration = notification.expiration {
            headers.overwrite(index) { bytes, start in expiration.writeHeaderValue(to: &bytes, at: start) }
            index += 1
        }
        if let collapseID = notification.collapseID {
            headers.overwrite(index) { bytes, start in
                for (offset, byte) in collapseID.bytes.enumerated() { bytes[start + offset] = byte }
            }
        }
    }

    private mutating func write(_ notification: borrowing PushNotification, _ token: ProviderToken?) {
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

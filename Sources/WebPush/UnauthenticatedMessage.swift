import Envelope

/// Text of a Web Push message. Anyone with the subscription's public values may have written it, so nothing in it
/// acts.
public struct UnauthenticatedMessage: Hashable, Sendable {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let depthMax = 8
    /// Marks Declarative Web Push (https://www.w3.org/TR/push-api/#declarative-push-message).
    private static let declarativeNumber: Int64 = 8_030

    /// May be empty.
    public let title: String
    /// May be empty; together with the title only of an `activation`.
    public let body: String
    /// Request of a Matrix server, which has no text; nil for any other message.
    public let activation: PusherActivation?
    /// Name that the app gave to the server whose endpoint the message came by; nil if it came by none.
    public let server: String?

    /// Parses a JSON object, which begins with "{", or plain text. A malformed object is not shown as text. Links,
    /// icons, tokens and ids are ignored.
    ///
    /// - Throws: `.malformed`, `.noText`.
    package init(plaintext bytes: [UInt8], server: String? = nil) throws(UnauthenticatedMessageError) {
        guard let first = bytes.first else { throw .noText }
        if first == UInt8(ascii: "{") {
            try self.init(document: bytes, server)
            return
        }
        guard !bytes.contains(0), !bytes.starts(with: Self.byteOrderMark),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw .malformed }
        self.init(title: "", body: text, server)
    }

    private init(title: String, body: String, _ server: String?, activation: PusherActivation? = nil) {
        self.title = title
        self.body = body
        self.server = server
        self.activation = activation
    }

    private init(document bytes: [UInt8], _ server: String?) throws(UnauthenticatedMessageError) {
        // Other servers' members may have fractions.
        let limits = JSONParser.Limits(byteCountMax: bytes.count, depthMax: Self.depthMax, allowsFractions: true)
        let document: JSONValue
        do {
            document = try JSONParser.parse(bytes, limits: limits)
        } catch {
            throw .malformed
        }
        let notification = try Self.notification(document)
        let title = try Self.text("title", of: notification)
        let body = try Self.text("body", of: notification)
        let activation = title.isEmpty && body.isEmpty ? PusherActivation(notification) : nil
        guard !title.isEmpty || !body.isEmpty || activation != nil else { throw .noText }
        self.init(title: title, body: body, server, activation: activation)
    }

    /// Texts' object: that of Declarative Web Push, or the document.
    private static func notification(_ document: JSONValue) throws(UnauthenticatedMessageError) -> JSONValue {
        guard document["web_push"]?.content == .integer(declarativeNumber) else { return document }
        guard let notification = document["notification"], notification.members != nil else { throw .malformed }
        return notification
    }

    private static func text(_ name: String, of document: JSONValue) throws(UnauthenticatedMessageError) -> String {
        guard let value = document[name] else { return "" }
        guard let text = value.string else { throw .malformed }
        return text
    }
}

/// Request of a Matrix server to confirm that the app made a pusher for it: the app sends both values to its server, as
/// `POST /_matrix/client/v3/pushers/ack`, within five minutes.
///
/// - Source: MSC4174, "Changes to `/pushers/set`"; Matrix's appendix "Opaque Identifiers".
public struct PusherActivation: Hashable, Sendable {
    private static let byteCounts = 1...255

    /// `app_id` of the pusher.
    public let appID: String
    /// `ack_token`, good for one activation.
    public let token: String

    /// - Returns: nil without both values.
    init?(_ document: JSONValue) {
        guard let appID = document["app_id"]?.string, Self.isIdentifier(appID),
            let token = document["ack_token"]?.string,
            Self.isIdentifier(token)
        else { return nil }
        self.appID = appID
        self.token = token
    }

    private static func isIdentifier(_ text: String) -> Bool {
        byteCounts.contains(text.utf8.count)
            && text.utf8.allSatisfy {
                Base64URL.value(of: $0) != nil || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "~")
            }
    }
}

package enum UnauthenticatedMessageError: Error, Equatable {
    /// The bytes are not UTF-8, have a NUL or byte order mark, or are no strict JSON object, or a "title" or "body" is
    /// no string.
    case malformed
    case noText
}

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
    /// May be empty, but not together with the title.
    public let body: String
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

    private init(title: String, body: String, _ server: String?) {
        self.title = title
        self.body = body
        self.server = server
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
        guard !title.isEmpty || !body.isEmpty else { throw .noText }
        self.init(title: title, body: body, server)
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

package enum UnauthenticatedMessageError: Error, Equatable {
    /// The bytes are not UTF-8, have a NUL or byte order mark, or are no strict JSON object, or a "title" or "body" is
    /// no string.
    case malformed
    case noText
}

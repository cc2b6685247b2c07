import Envelope

/// The text of a Web Push message. Anyone with the subscription's public values may have written it, so it carries no
/// actions.
public struct UnauthenticatedMessage: Hashable, Sendable {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let depthMax = 8

    /// May be empty.
    public let title: String
    /// May be empty, but not together with the title.
    public let body: String

    /// Parses a JSON object with "title" and "body", as web servers send it, or plain text.
    ///
    /// A first byte "{" means an object; a malformed one is not shown as text. Other members are ignored: links, icons,
    /// tokens and ids are for a web page's own code.
    ///
    /// - Throws: `.malformed`, `.noText`.
    package init(plaintext bytes: [UInt8]) throws(UnauthenticatedMessageError) {
        guard let first = bytes.first else { throw .noText }
        if first == UInt8(ascii: "{") {
            try self.init(document: bytes)
            return
        }
        guard !bytes.contains(0), !bytes.starts(with: Self.byteOrderMark),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw .malformed }
        self.init(title: "", body: text)
    }

    private init(title: String, body: String) {
        self.title = title
        self.body = body
    }

    private init(document bytes: [UInt8]) throws(UnauthenticatedMessageError) {
        // Other servers' members may have fractions.
        let limits = JSONParser.Limits(byteCountMax: bytes.count, depthMax: Self.depthMax, allowsFractions: true)
        let document: JSONValue
        do {
            document = try JSONParser.parse(bytes, limits: limits)
        } catch {
            throw .malformed
        }
        let title = try Self.text("title", of: document)
        let body = try Self.text("body", of: document)
        guard !title.isEmpty || !body.isEmpty else { throw .noText }
        self.init(title: title, body: body)
    }

    private static func text(_ name: String, of document: JSONValue) throws(UnauthenticatedMessageError) -> String {
        guard let value = document[name] else { return "" }
        guard let text = value.string else { throw .malformed }
        return text
    }
}

/// Reason why a plaintext is no message.
package enum UnauthenticatedMessageError: Error, Equatable {
    /// Not UTF-8, a NUL or byte order mark, no strict JSON object, or a "title" or "body" that is no string.
    case malformed
    /// Nothing to show.
    case noText
}

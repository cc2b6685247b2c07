import Envelope

/// Text of a Web Push message. Anyone with the subscription's public values may have written it, so nothing in it
/// acts.
public struct UnauthenticatedMessage: Hashable, Sendable {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let depthMax = 8

    /// May be empty.
    public let title: String
    /// May be empty, but not together with the title.
    public let body: String

    /// Parses a JSON object, which begins with "{", or plain text. A malformed object is not shown as text. Links,
    /// icons, tokens and ids are ignored.
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

package enum UnauthenticatedMessageError: Error, Equatable {
    /// The bytes are not UTF-8, have a NUL or byte order mark, or are no strict JSON object, or a "title" or "body" is
    /// no string.
    case malformed
    case noText
}

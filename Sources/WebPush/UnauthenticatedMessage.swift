import Envelope

/// What a Web Push message says. Nobody vouches for it: anyone with the subscription's public values may have written it,
/// so it has a text and nothing that acts.
public struct UnauthenticatedMessage: Hashable, Sendable {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let depthMax = 8

    /// Empty for none.
    public let title: String
    /// Empty for none; one of the two has text.
    public let body: String

    /// Reads what was inside a record: a JSON object with the members "title" and "body", as servers of web pages send
    /// it, or a plain text. Its first byte decides, "{" for an object; an object that is malformed is not shown as text.
    ///
    /// Other members are passed over, whatever they are: links, icons, tokens and ids are for a web page's own code.
    ///
    /// - Parameter bytes: UTF-8.
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
        // Fractions, because other servers' members are not ours to judge.
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

/// Why a plaintext was no message.
package enum UnauthenticatedMessageError: Error, Equatable {
    /// Not UTF-8, a NUL or a byte order mark in it, no strict JSON object, or a "title" or "body" that is no string.
    case malformed
    /// Nothing to show.
    case noText
}

import Envelope
import Primitives

/// Version of an answer's content, for `ETag` and `If-None-Match`.
///
/// - Source: RFC 9110 sections 8.8.3 and 13.1.2.
package struct EntityTag: Equatable, Sendable {
    private static let byteCount = 16

    /// 22 characters of base64url, without the quotes.
    package let text: String

    init(of content: [UInt8]) { text = Base64URL.string(Array(SHA256.hash(content).prefix(Self.byteCount))) }

    /// Value of `ETag`.
    var field: String { "\"\(text)\"" }

    /// True if the field's value, `*` or a list of tags, has this one, weak or not; a malformed list has none.
    package func isIn(_ list: String) -> Bool {
        let list = list.utf8
        if list.elementsEqual("*".utf8) { return true }
        var rest = list[...]
        while true {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
            guard rest.popFirst() == UInt8(ascii: "\""), let end = rest.firstIndex(of: UInt8(ascii: "\"")) else {
                return false
            }
            if rest[..<end].elementsEqual(text.utf8) { return true }
            rest = rest[end...].dropFirst()
        }
    }
}

/// A request's head as evhttp read it, and what evhttp lets pass although readers disagree about it.
///
/// Two programs that find different ends for one request let somebody put a request of his own into another's connection
/// (RFC 9112 section 11.2). Whatever is refused here ends its connection, so that nothing behind it is read.
package struct HTTP1Head {
    let method: String
    let target: String
    /// 10 × major + minor.
    let version: Int
    let fields: [HTTP1Request.Field]

    /// - Parameter body: what evhttp took for the body.
    /// - Returns: the request, or the status that refuses it.
    func request(body: [UInt8]) -> Result<HTTP1Request, Refusal> {
        guard version == 10 || version == 11 else { return .failure(.init(status: 505)) }
        // A transfer coding is something that nobody sends here, and half of all ways to disagree about the end.
        guard value(of: "Transfer-Encoding") == nil else { return .failure(.init(status: 501)) }
        guard fields.allSatisfy(Self.isWellFormed), hasOneHost, hasOneLength(of: body),
            target.utf8.first == UInt8(ascii: "/"), target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !target.utf8.contains(UInt8(ascii: "#"))
        else { return .failure(.init(status: 400)) }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return .success(
            HTTP1Request(
                method: method,
                path: String(parts[0]),
                query: parts.count == 2 ? String(parts[1]) : nil,
                fields: fields,
                body: body
            )
        )
    }

    /// Why a request is not handed on.
    struct Refusal: Error, Equatable {
        let status: Int
    }

    /// RFC 9112 section 3.2: exactly one in version 1.1.
    private var hasOneHost: Bool {
        let count = fields.count { Self.isSameName($0.name, "Host") }
        return count == 1 || count == 0 && version == 10
    }

    /// One number, which is what evhttp read; without it, no body.
    private func hasOneLength(of body: [UInt8]) -> Bool {
        let lengths = fields.filter { Self.isSameName($0.name, "Content-Length") }
        guard let length = lengths.first?.value else { return body.isEmpty }
        return lengths.count == 1 && length.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int(length) == body.count
    }

    private func value(of name: String) -> String? { fields.first { Self.isSameName($0.name, name) }?.value }

    /// A token, and text without control characters (RFC 9110 section 5).
    private static func isWellFormed(_ field: HTTP1Request.Field) -> Bool {
        !field.name.isEmpty && field.name.utf8.allSatisfy(isTokenCharacter)
            && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    package static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// ASCII letters without their case; every other byte as it is.
    static func isSameName(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
    }

    package static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

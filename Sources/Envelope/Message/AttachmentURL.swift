/// Attachment's https URL, so plain that no two readers see different hosts or paths. The app decides which hosts to
/// contact.
///
///     "https://" host [ ":" port ] path [ "?" query ]
///
/// The host is `localhost`, a name in lower case of at least two labels whose last begins with a letter, an IPv4
/// address in decimal, or an IPv6 address in brackets. The path has no segment `.` or `..`, and no percent-encoded `/`,
/// `\` or U+0000.
///
/// - Source: RFC 3986; docs/protocol.md, section 6.
public struct AttachmentURL: Hashable, Sendable {
    /// The longest text, in bytes.
    public static let byteCountMax = 200
    private static let scheme = "https://"
    private static let defaultPort: UInt16 = 443

    /// Whole URL, printable ASCII.
    public let text: String
    /// Host as in the text; an IPv6 address with its brackets.
    public let host: String
    /// The port; 443 by default.
    public let port: UInt16
    /// Path as in the text, without the query.
    public let path: String

    /// Parses exactly such a URL.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.byteCountMax, bytes.starts(with: Self.scheme.utf8) else { return nil }
        let rest = bytes[Self.scheme.utf8.count...]
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")),
            let (host, port) = Self.hostAndPort(rest[..<slash])
        else { return nil }
        let query = rest[slash...].firstIndex(of: UInt8(ascii: "?"))
        let path = rest[slash..<(query ?? rest.endIndex)]
        guard Self.isPath(path), query.map({ Self.isQuery(rest[($0 + 1)...]) }) ?? true else { return nil }
        self.text = text
        self.host = String(decoding: host, as: UTF8.self)
        self.port = port
        self.path = String(decoding: path, as: UTF8.self)
    }

    private static func hostAndPort(_ authority: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, UInt16)? {
        // A port's colon follows the bracket of an IPv6 address.
        let bracket = authority.firstIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        guard let colon = authority[bracket...].firstIndex(of: UInt8(ascii: ":")) else {
            return isHost(authority) ? (authority, defaultPort) : nil
        }
        let host = authority[..<colon]
        guard isHost(host), let port = port(authority[(colon + 1)...]) else { return nil }
        return (host, port)
    }

    private static func port(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard digits.first != UInt8(ascii: "0"), digits.allSatisfy(isDigit) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self))
    }

    private static func isPath(_ path: ArraySlice<UInt8>) -> Bool {
        path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { segment in
            guard let decoded = percentDecoded(segment, andAllowed: "") else { return false }
            let isDots = decoded.elementsEqual(".".utf8) || decoded.elementsEqual("..".utf8)
            return !isDots && !decoded.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        }
    }

    private static func isQuery(_ query: ArraySlice<UInt8>) -> Bool {
        percentDecoded(query, andAllowed: "/?") != nil
    }

    /// Nil for a character outside `pchar` and `others`, a quote, an incomplete escape, and U+0000.
    private static func percentDecoded(_ text: ArraySlice<UInt8>, andAllowed others: String) -> [UInt8]? {
        var decoded: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit),
                    high | low != 0
                else { return nil }
                decoded.append(high << 4 | low)
            } else {
                guard isLetterOrDigit(byte) || "-._~!$&()*+,;=:@".utf8.contains(byte) || others.utf8.contains(byte)
                else { return nil }
                decoded.append(byte)
            }
        }
        return decoded
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || isLowerCaseLetter(byte | 0x20)
    }
}

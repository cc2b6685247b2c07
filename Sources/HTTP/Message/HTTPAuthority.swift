private import Glibc

enum HTTPAuthority {
    /// Accepts a nonempty host, alone or with a colon and digits.
    ///
    /// - Source: RFC 3986 sections 3.2.2 and 3.2.3; RFC 9110 section 4.2.1 (empty host); RFC 9113 section 8.3.1 (no
    ///   user name).
    static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.first == UInt8(ascii: "[") else {
            let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            return end > bytes.startIndex && isName(bytes[..<end]) && isPort(bytes[end...])
        }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
        return isLiteral(bytes[(bytes.startIndex + 1)..<end]) && isPort(bytes[(end + 1)...])
    }

    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let colon = bytes.first else { return true }
        return colon == UInt8(ascii: ":") && bytes.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    /// A registered name or an IPv4 address.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "%") {
                guard bytes.endIndex - index > 2, isHex(bytes[index + 1]), isHex(bytes[index + 2]) else { return false }
                index += 3
            } else {
                guard isPlain(bytes[index]) else { return false }
                index += 1
            }
        }
        return true
    }

    /// Content of brackets: IPv6, or a future version.
    private static func isLiteral(_ bytes: ArraySlice<UInt8>) -> Bool {
        if let first = bytes.first, first | 0x20 == UInt8(ascii: "v") {
            let parts = bytes.dropFirst().split(
                separator: UInt8(ascii: "."),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            return parts.count == 2 && !parts[0].isEmpty && parts[0].allSatisfy(isHex) && !parts[1].isEmpty
                && parts[1].allSatisfy { isPlain($0) || $0 == UInt8(ascii: ":") }
        }
        // A NUL would end the text in C only.
        guard bytes.count <= 45, !bytes.contains(0) else { return false }
        var address = in6_addr()
        return unsafe inet_pton(AF_INET6, String(decoding: bytes, as: UTF8.self), &address) == 1
    }

    /// Unreserved, or a delimiter allowed in names.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39: true
        default: marks.contains(byte)
        }
    }

    private static let marks = Array("-._~!$&'()*+,;=".utf8)

    private static func isHex(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}

/// Webhook's URL, in a strict form that all parsers read alike.
///
/// No redirect is followed. All addresses are checked before connecting: a later change of DNS has no effect.
package struct WebhookTarget: Hashable, Sendable {
    package let isTLS: Bool
    /// Lower case, or an address without brackets.
    package let host: String
    package let port: UInt16
    /// Path and query, beginning with a slash.
    package let path: String
    package let literal: IPAddress?

    var url: String {
        let name = literal?.isIPv4 == false ? "[\(host)]" : host
        return "\(isTLS ? "https" : "http")://\(name):\(port)\(path)"
    }

    /// Absolute URL, at most 2,048 bytes of printable ASCII, without user, password or fragment.
    package init?(_ url: String, allowsPlainHTTP: Bool = false) {
        let text = Array(url.utf8)
        guard text.count <= 2_048, text.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.contains(where: { "\\#\"<>^`{|}".utf8.contains($0) })
        else { return nil }
        let isTLS = text.starts(with: "https://".utf8)
        guard isTLS || (allowsPlainHTTP && text.starts(with: "http://".utf8)) else { return nil }
        let rest = text.dropFirst(isTLS ? 8 : 7)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let tail = Array(rest.dropFirst(authority.count))
        guard let place = Self.place(of: Array(authority), defaultPort: isTLS ? 443 : 80) else { return nil }
        self.isTLS = isTLS
        host = place.host
        port = place.port
        literal = IPAddress(place.host)
        path = String(decoding: tail.first == UInt8(ascii: "/") ? tail : [UInt8(ascii: "/")] + tail, as: UTF8.self)
    }

    private static func place(of authority: [UInt8], defaultPort: UInt16) -> (host: String, port: UInt16)? {
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let host = String(decoding: authority[1..<end], as: UTF8.self)
            guard let address = IPAddress(host), !address.isIPv4 else { return nil }
            return port(Array(authority[(end + 1)...]), defaultPort).map { (host, $0) }
        }
        let name = Array(authority.prefix { $0 != UInt8(ascii: ":") })
        let host = String(decoding: name.map { isUpperCase($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        guard isHost(host) else { return nil }
        return port(Array(authority.dropFirst(name.count)), defaultPort).map { (host, $0) }
    }

    private static func isUpperCase(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    private static func port(_ text: [UInt8], _ defaultPort: UInt16) -> UInt16? {
        guard !text.isEmpty else { return defaultPort }
        guard text[0] == UInt8(ascii: ":"), (2...6).contains(text.count),
            text.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(String(decoding: text.dropFirst(), as: UTF8.self)), port > 0
        else { return nil }
        return port
    }

    /// DNS name, or an address in its strict form. `127.1`, `0x7f000001` and `2130706433` are refused: addresses to
    /// some parsers (WHATWG, "ends in a number checker"), names to others.
    package static func isHost(_ text: String) -> Bool {
        if IPAddress(text) != nil { return true }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...253).contains(text.utf8.count), let last = labels.last, let first = last.first,
            !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                        true
                    default: false
                    }
                }
        }
    }
}

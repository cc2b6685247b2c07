extension Proxy {
    /// Reads `http://user:password@host:port`, `socks5://…` or `socks5h://…`. The last two are equal: the proxy always
    /// resolves the name.
    ///
    /// Strict: the port is required, credentials are percent-encoded by RFC 3986 section 3.2.1, and at most one "/"
    /// follows.
    ///
    /// - Parameter url: Never repeated in an error.
    /// - Throws: `.urlInvalid` with the invalid part, `.credentialsInvalid`.
    public init(url: String) throws(ProxyError) {
        let bytes = Array(url.utf8)
        guard let mark = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[mark...].starts(with: "://".utf8) else {
            throw .urlInvalid(.scheme)
        }
        let makeProxy: (String, UInt16, ProxyCredentials?) throws(ProxyError) -> Proxy
        switch String(decoding: bytes[..<mark], as: UTF8.self).lowercased() {
        case "http": makeProxy = Proxy.http
        case "socks5", "socks5h": makeProxy = Proxy.socks5
        default: throw .urlInvalid(.scheme)
        }
        var authority = bytes[(mark + 3)...]
        if authority.last == UInt8(ascii: "/") { authority.removeLast() }
        guard !authority.contains(where: { "/?#".utf8.contains($0) }) else { throw .urlInvalid(.path) }

        var credentials: ProxyCredentials?
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            credentials = try Self.credentials(authority[..<at])
            authority = authority[(at + 1)...]
        }
        let (host, port) = try Self.hostAndPort(authority)
        self = try makeProxy(host, port, credentials)
    }

    private static func credentials(_ userInfo: ArraySlice<UInt8>) throws(ProxyError) -> ProxyCredentials {
        let colon = userInfo.firstIndex(of: UInt8(ascii: ":"))
        let user = try decode(userInfo[..<(colon ?? userInfo.endIndex)])
        let password = try colon.map { (colon) throws(ProxyError) in try decode(userInfo[(colon + 1)...]) }
        return try ProxyCredentials(user: user, password: password ?? [])
    }

    private static func decode(_ text: ArraySlice<UInt8>) throws(ProxyError) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    throw .urlInvalid(.userInfo)
                }
                decoded.append(high << 4 | low)
            } else {
                guard isNameByte(byte) || "~!$&'()*+,;=:".utf8.contains(byte) else { throw .urlInvalid(.userInfo) }
                decoded.append(byte)
            }
        }
        return decoded
    }

    private static func hostAndPort(_ text: ArraySlice<UInt8>) throws(ProxyError) -> (String, UInt16) {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), text.last != UInt8(ascii: "]") else {
            throw .urlInvalid(.port)
        }
        let digits = text[(colon + 1)...]
        guard (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { throw .urlInvalid(.port) }
        var host = text[..<colon]
        let isBracketed = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
        if isBracketed { host = host.dropFirst().dropLast() }
        let name = String(decoding: host, as: UTF8.self)
        let isValid =
            isBracketed ? name.utf8.contains(UInt8(ascii: ":")) && SocketAddress.isLiteral(name) : isName(host)
        guard isValid else { throw .urlInvalid(.host) }
        return (name, port)
    }

    /// True for an Internet host name: nothing ends a line or has a meaning in URLs.
    static func isName(_ text: some Collection<UInt8>) -> Bool {
        (1...253).contains(text.count) && text.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

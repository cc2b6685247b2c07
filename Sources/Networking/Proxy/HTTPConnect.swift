import COpenSSL

/// CONNECT through an HTTP proxy; success is a 2xx (RFC 9110 section 9.3.6).
struct HTTPConnect {
    static let replyByteCountMax = 8 << 10

    private enum Position {
        case statusLine, fields, end
    }

    private let authority: String
    private let credentials: ProxyCredentials?

    private var position = Position.statusLine
    private var line: [UInt8] = []
    private var isBehindCarriageReturn = false
    private var byteCount = 0

    init(host: String, port: UInt16, credentials: ProxyCredentials?) {
        authority = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        self.credentials = credentials
    }

    func request() -> [UInt8] {
        var request = Array("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n".utf8)
        if let credentials {
            request += Array("Proxy-Authorization: Basic ".utf8) + Self.base64(credentials) + Array("\r\n".utf8)
        }
        return request + Array("\r\n".utf8)
    }

    /// "user:password" (RFC 7617 section 2).
    private static func base64(_ credentials: ProxyCredentials) -> [UInt8] {
        var plain = credentials.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        plain.insert(UInt8(ascii: ":"), at: credentials.userByteCount)
        // OpenSSL appends a NUL.
        var text = [UInt8](repeating: 0, count: (plain.count + 2) / 3 * 4 + 1)
        unsafe EVP_EncodeBlock(&text, plain, Int32(plain.count))
        text.removeLast()
        unsafe plain.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
        return text
    }

    // MARK: Reply

    /// True once the tunnel is open. A body's length and coding mean nothing here (RFC 9110 section 9.3.6).
    mutating func receive(_ bytes: Span<UInt8>) throws(ProxyError) -> Bool {
        for index in bytes.indices {
            guard position != .end else { throw .bytesBehindReply }
            byteCount += 1
            guard byteCount <= Self.replyByteCountMax else {
                throw .replyTooLong(byteCountMax: Self.replyByteCountMax)
            }
            try receive(bytes[index])
        }
        return position == .end
    }

    private mutating func receive(_ byte: UInt8) throws(ProxyError) {
        if isBehindCarriageReturn {
            guard byte == UInt8(ascii: "\n") else { throw .replyMalformed }
            isBehindCarriageReturn = false
            return try endLine()
        }
        switch byte {
        case UInt8(ascii: "\r"): isBehindCarriageReturn = true
        case UInt8(ascii: "\t"), 0x20...0x7E, 0x80...: line.append(byte)
        default: throw .replyMalformed
        }
        // Another protocol shows at the first byte, not at the deadline.
        if position == .statusLine, !Self.begins(line) { throw .replyMalformed }
    }

    private static func begins(_ line: [UInt8]) -> Bool {
        line.starts(with: "HTTP/1.".utf8.prefix(line.count))
    }

    private mutating func endLine() throws(ProxyError) {
        defer { line.removeAll(keepingCapacity: true) }
        switch position {
        case .statusLine:
            let status = try Self.status(line)
            guard (200..<300).contains(status) else { throw .refused(status: status) }
            position = .fields
        case .fields:
            guard !line.isEmpty else { return position = .end }
            guard Self.isField(line) else { throw .replyMalformed }
        case .end: break
        }
    }

    /// RFC 9112 section 4. Some proxies omit the space before an empty reason.
    private static func status(_ line: [UInt8]) throws(ProxyError) -> Int {
        guard line.count >= 12, isDigit(line[7]), line[8] == UInt8(ascii: " "), line[9..<12].allSatisfy(isDigit),
            line.count == 12 || line[12] == UInt8(ascii: " ")
        else { throw .replyMalformed }
        let status = line[9..<12].reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
        guard status >= 100 else { throw .replyMalformed }
        return status
    }

    /// RFC 9112 section 5. A folded line begins with a space and is refused.
    private static func isField(_ line: [UInt8]) -> Bool {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        return line[..<colon].allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            default: isDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

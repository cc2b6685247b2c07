/// HTTP/1.1 request's head, parsed strictly: ambiguous request ends are refused (RFC 9112 section 11.2).
struct HTTP1RequestHead {
    /// `:method` and `:path` first; other names in lower case.
    let fields: HeaderBlock
    let bodyByteCount: Int
    let closes: Bool
    /// The client waits for 100 Continue (RFC 9110 section 10.1.1).
    let expectsContinue: Bool

    private static let methodByteCountMax = 32

    /// - Parameter head: From the request line to the empty line; a CR precedes every LF.
    /// - Throws: The refusal; nothing after it is read.
    /// - Source: RFC 9112 sections 3, 5 and 6.
    init(_ head: [UInt8], fieldCountMax: Int) throws(HTTPRequestError) {
        var lines = Lines(head)
        let isVersion10 = try lines.takeRequestLine()
        while try lines.takeField() {
            guard lines.fields.count - 2 <= fieldCountMax else { throw .headTooLarge }
        }
        fields = lines.fields
        // RFC 9112 section 3.2.
        guard fields.count(of: "host") == 1 || isVersion10 && fields["host"] == nil else { throw .hostMalformed }
        bodyByteCount = try Self.bodyByteCount(fields)
        closes = isVersion10 || Self.namesClose(fields)
        switch fields.count(of: "expect") {
        case 0: expectsContinue = false
        case 1 where !isVersion10 && Self.isEqual(fields["expect"] ?? [], "100-continue"): expectsContinue = true
        default: throw .expectationUnknown
        }
    }

    /// Parsers agree on the end of one decimal length without coding only.
    private static func bodyByteCount(_ fields: HeaderBlock) throws(HTTPRequestError) -> Int {
        let lengths = fields.count(of: "content-length")
        if let coding = fields["transfer-encoding"] {
            guard lengths == 0 else { throw .lengthMalformed }
            throw isEqual(coding, "chunked") ? .lengthMissing : .codingUnknown
        }
        guard lengths > 0 else { return 0 }
        let digits = fields["content-length"] ?? []
        guard lengths == 1, (1...18).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .lengthMalformed
        }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func namesClose(_ fields: HeaderBlock) -> Bool {
        for index in 0..<fields.count where fields.isNamed("connection", at: index) {
            let options = fields.value(of: index).split(separator: UInt8(ascii: ","))
            for option in options {
                let word = option.drop { $0 == 0x20 || $0 == 0x09 }
                let end = word.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? word.startIndex
                if isEqual(word[..<end], "close") { return true }
            }
        }
        return false
    }

    private static func isEqual(_ value: ArraySlice<UInt8>, _ word: StaticString) -> Bool {
        value.count == word.utf8CodeUnitCount
            && word.withUTF8Buffer { word in
                unsafe value.elementsEqual(word) { HTTP1Syntax.lowercased($0) == $1 }
            }
    }

    // MARK: Lines

    private struct Lines {
        private var bytes: [UInt8]
        private var start = 0
        private(set) var fields = HeaderBlock()
        private var authority: ArraySlice<UInt8>?

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            fields.reserveCapacity(byteCount: bytes.count + 16, fieldCount: 16)
        }

        private mutating func takeLine() throws(HTTPRequestError) -> Range<Int> {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")), end > start else {
                throw .headMalformed
            }
            let line = start..<end - 1
            start = end + 1
            return line
        }

        /// - Returns: true for version 1.0.
        mutating func takeRequestLine() throws(HTTPRequestError) -> Bool {
            let line = try takeLine()
            let words = bytes[line].split(separator: 0x20, omittingEmptySubsequences: false)
            guard words.count == 3, (1...methodByteCountMax).contains(words[0].count),
                words[0].allSatisfy(HTTP1Syntax.isTokenCharacter), !words[1].isEmpty
            else { throw .headMalformed }
            let isVersion10 = words[2].elementsEqual("HTTP/1.0".utf8)
            guard isVersion10 || words[2].elementsEqual("HTTP/1.1".utf8) else {
                let isVersion = words[2].count == 8 && words[2].starts(with: "HTTP/".utf8)
                throw isVersion ? .versionUnknown : .headMalformed
            }
            fields.append(":method", words[0])
            try takeTarget(words[1], isOptions: words[0].elementsEqual("OPTIONS".utf8), isVersion10: isVersion10)
            return isVersion10
        }

        private mutating func takeTarget(
            _ target: ArraySlice<UInt8>,
            isOptions: Bool,
            isVersion10: Bool
        ) throws(HTTPRequestError) {
            // Version 1.0 has that for proxies alone.
            guard target.first != UInt8(ascii: "/"), !isVersion10,
                let absolute = try HTTP1AbsoluteTarget.read(target, isOptions: isOptions)
            else { return fields.append(":path", target) }
            fields.append(":path", absolute.path)
            authority = absolute.authority
        }

        /// A folded line begins with a space, which no name does (RFC 9110 section 5).
        ///
        /// - Returns: false for the empty line.
        mutating func takeField() throws(HTTPRequestError) -> Bool {
            let line = try takeLine()
            guard !line.isEmpty else { return false }
            guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")), colon > line.lowerBound else {
                throw .headMalformed
            }
            for index in line.lowerBound..<colon {
                guard HTTP1Syntax.isTokenCharacter(bytes[index]) else { throw .headMalformed }
                bytes[index] = HTTP1Syntax.lowercased(bytes[index])
            }
            var (first, end) = (colon + 1, line.upperBound)
            while first < end, Self.isBlank(bytes[first]) { first += 1 }
            while first < end, Self.isBlank(bytes[end - 1]) { end -= 1 }
            for index in first..<end {
                let byte = bytes[index]
                guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { throw .headMalformed }
            }
            // RFC 9112 section 3.2.2: it is required, and its value ignored.
            if let authority, bytes[line.lowerBound..<colon].elementsEqual("host".utf8) {
                fields.append("host", authority)
                return true
            }
            let read = bytes
            let span = read.span
            fields.append(span.extracting(line.lowerBound..<colon), span.extracting(first..<end))
            return true
        }

        private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    }
}

struct HTTPSHeadReader {
    /// A blob's heads have some 500 bytes.
    static let byteCountMax = 32 << 10

    private(set) var head: HTTPSHead?
    private var byteCount = 0
    private var status: Int?
    private var fields: [(name: String, value: String)] = []

    /// - Parameter line: with its line end.
    mutating func add(_ line: some Collection<UInt8>) -> Bool {
        byteCount += line.count
        guard byteCount <= Self.byteCountMax else { return false }
        // Trailers (RFC 9110, section 6.5) are ignored.
        guard head == nil else { return true }
        let text = line.filter { $0 != 0x0D && $0 != 0x0A }
        if text.starts(with: "HTTP/".utf8) {
            fields = []
            status = Self.status(of: text)
            return status != nil
        }
        guard !text.isEmpty else {
            guard let status else { return false }
            if status >= 200 { head = HTTPSHead(status: status, fields: fields) }
            return true
        }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        let name = text[..<colon].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        fields.append((String(decoding: name, as: UTF8.self), Self.trimmed(text[(colon + 1)...])))
        return true
    }

    /// "HTTP/1.1 206 Partial Content"
    private static func status(of line: [UInt8]) -> Int? {
        let words = line.split(separator: 0x20, maxSplits: 2)
        guard words.count >= 2, words[1].count == 3, words[1].allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return words[1].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let start = text.drop(while: isBlank)
        return String(
            decoding: start[..<(start.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start.startIndex)],
            as: UTF8.self
        )
    }
}

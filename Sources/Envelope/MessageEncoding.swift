extension Message {
    /// The sealed body: a JSON object of at most `byteCountMax` bytes.
    ///
    /// - Parameters:
    ///   - byteCountMax: the frame's room, 2,690 bytes for an alert under suite 1.
    ///   - overflow: what to do with a longer message.
    /// - Returns: the JSON, and whether `body` was shortened.
    /// - Throws: `.noText`, `.containsNUL`, `.tooLong`.
    package func encoded(
        byteCountMax: Int,
        overflow: Overflow
    ) throws(MessageError) -> (json: [UInt8], isTruncated: Bool) {
        guard hasText else { throw .noText }
        guard !Self.textMembers.contains(where: { self[keyPath: $0.path].utf8.contains(0) }) else {
            throw .containsNUL
        }
        let whole = json
        guard whole.count > byteCountMax else { return (whole, false) }
        let tooLong = MessageError.tooLong(excessByteCount: whole.count - byteCountMax)
        guard overflow == .shorten else { throw tooLong }
        let excess = whole.count - byteCountMax
        let room = Self.escapedByteCount(body) - excess
        var shortened = self
        shortened.body = Self.longestPrefix(of: body, escapedByteCountMax: room)
        guard shortened.hasText, shortened.json.count <= byteCountMax else { throw tooLong }
        return (shortened.json, true)
    }

    private var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            for member in Self.textMembers where !self[keyPath: member.path].isEmpty {
                writer.member(member.name, self[keyPath: member.path])
            }
        }
        return writer.bytes
    }

    /// Whole grapheme clusters only: half a flag or a letter without its accent is another text.
    private static func longestPrefix(of text: String, escapedByteCountMax: Int) -> String {
        var byteCount = 0
        var end = text.startIndex
        while end < text.endIndex {
            let next = text.index(after: end)
            byteCount += escapedByteCount(text[end..<next])
            guard byteCount <= escapedByteCountMax else { break }
            end = next
        }
        return String(text[..<end])
    }

    private static func escapedByteCount(_ text: some StringProtocol) -> Int {
        var writer = JSONWriter()
        writer.string(String(text))
        return writer.bytes.count - 2
    }
}

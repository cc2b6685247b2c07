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
        let excess = whole.count - byteCountMax
        guard overflow == .shorten else { throw .tooLong(excessByteCount: excess) }
        var shortened = self
        // The least that is still a message. What stands over then is all that the sender has to cut.
        shortened.body = title.isEmpty ? String(body.prefix(1)) : ""
        let remainder = shortened.json.count - byteCountMax
        guard remainder <= 0 else { throw .tooLong(excessByteCount: remainder) }
        shortened.body = Self.longestPrefix(of: body, escapedByteCountMax: Self.escapedByteCount(body) - excess)
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

/// Atomic writes through a journal with a digest. An incomplete journal has no effect; a complete one is carried out by
/// the next operation.
struct WindowTransaction {
    private(set) var writes: [Write] = []

    struct Write: Equatable {
        let offset: Int
        let words: [UInt64]
    }

    init() {}

    var isEmpty: Bool { writes.isEmpty }

    mutating func write(_ words: [UInt64], at offset: Int) {
        writes.append(Write(offset: offset, words: words))
    }

    /// Digest, count of the words that follow, then for each write its offset << 32 | count, and its words.
    var journal: [UInt64] {
        var payload: [UInt64] = [0]
        for write in writes {
            payload.append(UInt64(write.offset) << 32 | UInt64(write.words.count))
            payload += write.words
        }
        payload[0] = UInt64(payload.count - 1)
        precondition(payload.count < WindowLayout.journalWordCountMax)
        return [WindowCheck.digest(payload[...])] + payload
    }

    static let finished: [UInt64] = [0]

    /// Nil if the journal is finished or incomplete.
    init?(firstPage page: [UInt64]) {
        let start = WindowLayout.journalWord
        guard page[start] != 0, page[start + 1] <= WindowLayout.journalWordCountMax - 2 else { return nil }
        let end = start + 2 + Int(page[start + 1])
        guard page[start] == WindowCheck.digest(page[(start + 1)..<end]) else { return nil }
        var position = start + 2
        while position < end {
            let count = Int(page[position] & 0xFFFF_FFFF)
            let offset = Int(page[position] >> 32)
            guard count <= end - position - 1, offset + count * 8 <= WindowLayout.byteCount else { return nil }
            writes.append(Write(offset: offset, words: Array(page[(position + 1)..<(position + 1 + count)])))
            position += 1 + count
        }
    }
}

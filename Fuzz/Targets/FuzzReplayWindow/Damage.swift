import Envelope

@testable import Opening

/// Writes to the file that the product did not make: of any words, or of rows, records and journals with valid checks.
enum Damage {
    /// - Parameters:
    ///   - kind: 0 ..< 8.
    ///   - reader: gives the words.
    /// - Returns: nil at the end of the input.
    static func writes(_ kind: UInt8, _ reader: inout ByteReader) -> [Step.Write]? {
        switch kind {
        case 0: word(&reader).map { [$0] }
        case 1: rows(&reader, wordCount: ReplayRecord.wordCount, repair: record)
        case 2: rows(&reader, wordCount: SenderRow.wordCount, repair: row)
        case 3: rows(&reader, wordCount: OrderRow.wordCount, repair: row)
        case 4: header(&reader).map { [$0] }
        case 5: sweep(&reader).map { [$0] }
        case 6: journal(&reader).map { [$0] }
        default: zeros(&reader).map { [$0] }
        }
    }

    /// The number of a page: one with the names, or any.
    private static func page(_ reader: inout ByteReader) -> Int? {
        guard let number = reader.take(UInt16.self) else { return nil }
        let places = WindowImage.places
        guard number & 0x8000 == 0 else { return Int(number & 0x7FFF) % WindowLayout.pageCount }
        return places[Int(number) % places.count]
    }

    private static func word(_ reader: inout ByteReader) -> Step.Write? {
        guard let page = page(&reader), let index = reader.take(UInt16.self), let word = reader.take(UInt64.self) else {
            return nil
        }
        let offset = WindowLayout.offset(ofPage: page) + Int(index) % WindowLayout.pageWordCount * 8
        return Step.Write(words: [word], offset: offset)
    }

    private static func zeros(_ reader: inout ByteReader) -> Step.Write? {
        guard let page = page(&reader), let start = reader.take(UInt16.self) else { return nil }
        let index = Int(start) % WindowLayout.pageWordCount
        return Step.Write(
            words: [UInt64](repeating: 0, count: WindowLayout.pageWordCount - index),
            offset: WindowLayout.offset(ofPage: page) + index * 8
        )
    }

    /// One row, or a page full of rows that differ in their first word.
    private static func rows(
        _ reader: inout ByteReader,
        wordCount: Int,
        repair: ([UInt64]) -> [UInt64]
    ) -> [Step.Write]? {
        guard let page = page(&reader), let index = reader.take(UInt8.self),
            let words = words(&reader, count: wordCount)
        else { return nil }
        let rowCount = WindowLayout.pageWordCount / wordCount
        let start = WindowLayout.offset(ofPage: page)
        guard index == 0xFF else {
            return [Step.Write(words: repair(words), offset: start + Int(index) % rowCount * wordCount * 8)]
        }
        var all: [UInt64] = []
        for number in 0..<UInt64(rowCount) {
            var row = words
            row[0] &+= number
            all += repair(row)
        }
        return [Step.Write(words: all, offset: start)]
    }

    private static func words(_ reader: inout ByteReader, count: Int) -> [UInt64]? {
        var words: [UInt64] = []
        for _ in 0..<count {
            guard let word = reader.take(UInt64.self) else { return nil }
            words.append(word)
        }
        return words
    }

    private static func record(_ words: [UInt64]) -> [UInt64] {
        let sum = WindowCheck.sum(
            words[0],
            words[1],
            words[2] >> 8,
            words[3] & UInt64(UInt32.max),
            modulo: WindowCheck.prime8
        )
        return [words[0], words[1], words[2] & ~0xFF | sum, words[3]]
    }

    /// A row of a sender or of a change: both have their check in the same place.
    private static func row(_ words: [UInt64]) -> [UInt64] {
        let last = words[5] >> 16
        return words[..<5] + [last << 16 | WindowCheck.sum(words[..<5] + [last], modulo: WindowCheck.prime16)]
    }

    private static func header(_ reader: inout ByteReader) -> Step.Write? {
        guard var words = words(&reader, count: WindowHeader.wordCount - 1) else { return nil }
        words[2] = slot(words[2])
        return Step.Write(words: words + [WindowCheck.digest(words[...])], offset: WindowHeader.wordIndex * 8)
    }

    /// Small numbers stand for senders in the table.
    private static func slot(_ number: UInt64) -> UInt64 {
        number < WindowImage.slots.count ? UInt64(WindowImage.slots[Int(number)]) : number
    }

    /// slot u16 ‖ next page u16 ‖ total u16 ‖ count u8 ‖ floor ‖ as many words.
    private static func sweep(_ reader: inout ByteReader) -> Step.Write? {
        guard let head = reader.take(UInt64.self), let floor = reader.take(UInt64.self) else { return nil }
        guard let rest = words(&reader, count: min(Int(head & 0xFFFF), reader.remainingByteCount / 8)) else {
            return nil
        }
        let words = [slot(head >> 48) << 48 | head & 0xFFFF_FFFF_0000 | UInt64(rest.count), floor] + rest
        return Step.Write(
            words: [WindowCheck.digest(words[...])] + words,
            offset: WindowLayout.offset(ofPage: WindowLayout.sweepPage)
        )
    }

    /// A whole journal of words, with a good digest.
    private static func journal(_ reader: inout ByteReader) -> Step.Write? {
        guard let count = reader.take(UInt8.self),
            let words = words(&reader, count: min(Int(count & 31), reader.remainingByteCount / 8))
        else { return nil }
        let payload = [UInt64(words.count)] + words
        return Step.Write(
            words: [WindowCheck.digest(payload[...])] + payload,
            offset: WindowLayout.journalWord * 8
        )
    }
}

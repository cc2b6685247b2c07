import Testing

@testable import PushStore

struct ReceiptChunkTests {
    @Test func `pairs of one hash are in one part, and the others fill theirs`() {
        let hashes: [Int64] = [1, 2, 2, 2, 3, 4, 5, 6]
        let pairs = hashes.enumerated().map { TracePair(hash: $1, entry: Int64($0)) }
        let parts = ReceiptChunk.split(pairs, pairCount: 2).map { $0.map(\.hash) }
        #expect(parts == [[1, 2, 2, 2], [3, 4], [5, 6]])
        #expect(ReceiptChunk.split([], pairCount: 2).isEmpty)
    }

    @Test func `of one hash the newest are kept`() {
        let count = Int64(ReceiptChunk.equalCountMax)
        let pairs = [TracePair(hash: 1, entry: 5)] + (0..<count + 3).map { TracePair(hash: 7, entry: $0) }
        let parts = ReceiptChunk.split(pairs + [TracePair(hash: 9, entry: 5)], pairCount: 3)
        #expect(parts.map(\.count) == [1 + ReceiptChunk.equalCountMax, 1])
        #expect(parts[0].map(\.entry) == [5] + Array(3..<count + 3))
    }

    @Test func `a row's number has its run and its first hash, and of a damaged row nothing else is taken`() {
        let last: Int64 = 0xFFFF_FFFF_FFFF
        let id = ReceiptChunk.id(run: 0x7FFF, last)
        #expect(id == .max && ReceiptChunk.first(id: id) == last)
        let start: Int64 = 0x2_0000_0000_0000
        #expect(ReceiptChunk.ids(run: 2) == start...start + last)
        #expect(ReceiptChunk.ids(run: 2, through: 5) == start...start + 5)
        let pairs = [4, 5, last, last + 1, -1].map { TracePair(hash: $0, entry: 1) }
        let bytes = TraceChunk.encode(pairs[...])
        #expect(ReceiptChunk.pairs(bytes, id: ReceiptChunk.id(run: 1, 5)).map(\.hash) == [5, last])
        #expect(ReceiptChunk.pairs(Array(bytes.dropLast()), id: 0).isEmpty)
    }
}

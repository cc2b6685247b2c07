import Testing

@testable import APNS

struct FeedbackTests {
    private static let vector: [UInt8] = [0x65, 0x92, 0x00, 0x80, 0, 0x20] + Array(0..<32)

    private static func tuple() throws -> FeedbackTuple {
        FeedbackTuple(time: 0x6592_0080, deviceToken: try DeviceToken(bytes: Array(0..<32)))
    }

    @Test func `a tuple is the vector's bytes, both ways`() throws {
        var bytes: [UInt8] = []
        try Self.tuple().append(to: &bytes)
        #expect(bytes == Self.vector && bytes.count == 38)
        var reader = FeedbackReader()
        var tuples: [FeedbackTuple] = []
        try reader.read(bytes.span, into: &tuples)
        #expect(try tuples == [Self.tuple()] && reader.isAtBoundary)
    }

    @Test(arguments: [1, 2, 5, 6, 7, 37, 38, 39, 113])
    func `a list may come in pieces of any size`(_ pieceByteCount: Int) throws {
        let bytes = Self.vector + Self.vector + [0, 0, 0, 1, 0, 1, 9]
        var reader = FeedbackReader()
        var tuples: [FeedbackTuple] = []
        for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
            let piece = Array(bytes[start..<min(bytes.count, start + pieceByteCount)])
            try reader.read(piece.span, into: &tuples)
        }
        let last = FeedbackTuple(time: 1, deviceToken: try DeviceToken(bytes: [9]))
        #expect(try tuples == [Self.tuple(), Self.tuple(), last] && reader.isAtBoundary)
    }

    @Test func `a list that ends within a tuple says so`() throws {
        var reader = FeedbackReader()
        var tuples: [FeedbackTuple] = []
        try reader.read((Self.vector + Self.vector.dropLast()).span, into: &tuples)
        #expect(tuples.count == 1 && !reader.isAtBoundary)
    }

    @Test(arguments: [0, 513, 65_535])
    func `a token of no length or of an absurd one ends the reading`(_ byteCount: Int) throws {
        let bytes: [UInt8] = Self.vector + [0, 0, 0, 1, UInt8(byteCount >> 8), UInt8(byteCount & 0xFF)]
        var reader = FeedbackReader()
        var tuples: [FeedbackTuple] = []
        #expect(throws: FeedbackError.tokenByteCountInvalid(byteCount)) {
            try reader.read(bytes.span, into: &tuples)
        }
        #expect(tuples.count == 1, "what came before counts")
    }

    @Test func `a token that was registered after the app was gone stays`() throws {
        let time = Int64(try Self.tuple().time)
        #expect(try Self.tuple().provesGone(registeredAt: time))
        #expect(try !Self.tuple().provesGone(registeredAt: time + 1))
    }
}

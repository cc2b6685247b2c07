import Testing

@testable import Envelope

struct ByteReaderTests {
    @Test func `reads fields front to back from the middle of an array`() {
        var reader = ByteReader(Array(0...20)[5...])
        #expect(reader.remainingByteCount == 16)
        #expect(reader.take(2) == [5, 6])
        #expect(reader.take(UInt8.self) == 7)
        #expect(reader.take(UInt16.self) == 0x0809)
        #expect(reader.take(UInt64.self) == 0x0A0B_0C0D_0E0F_1011)
        #expect(reader.take(0) == [])
        #expect(reader.remainingByteCount == 3)
    }

    @Test(arguments: [4, 255, Int.max, -1, Int.min])
    func `a count beyond the end or below zero takes nothing`(_ count: Int) {
        var reader = ByteReader([1, 2, 3])
        #expect(reader.take(count) == nil)
        #expect(reader.take(3) == [1, 2, 3])
    }

    @Test func `a number that is cut takes nothing`() {
        var reader = ByteReader([1, 2, 3])
        #expect(reader.take(UInt64.self) == nil)
        #expect(reader.take(UInt32.self) == nil)
        #expect(reader.take(UInt16.self) == 0x0102)
        #expect(reader.take(UInt16.self) == nil)
        #expect(reader.take(UInt8.self) == 3)
        #expect(reader.take(UInt8.self) == nil)
    }

    @Test(
        arguments: [
            ([], nil), ([0], []), ([1], nil), ([1, 9], [9]), ([2, 9], nil), ([255, 9], nil), ([1, 9, 8], [9]),
        ] as [([UInt8], [UInt8]?)]
    )
    func `a length that lies takes nothing`(_ bytes: [UInt8], _ field: [UInt8]?) {
        var reader = ByteReader(bytes[...])
        #expect(reader.takeLengthPrefixed() == field)
        #expect(reader.remainingByteCount == bytes.count - (field.map { $0.count + 1 } ?? 0))
    }

    @Test(arguments: [0, 1, 254, 255])
    func `a length-prefixed field comes back`(_ count: Int) {
        let field = (0..<count).map { UInt8($0) }
        var bytes: [UInt8] = []
        bytes.append(lengthPrefixed: field)
        #expect(bytes == [UInt8(count)] + field)
        var reader = ByteReader(bytes[...])
        #expect(reader.takeLengthPrefixed() == field)
    }

    @Test func `numbers are written big end first`() {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt64(0x0102_0304_0506_0708))
        bytes.append(bigEndian: UInt16(0xA1B2))
        bytes.append(bigEndian: UInt8(0xC3))
        #expect(bytes == [1, 2, 3, 4, 5, 6, 7, 8, 0xA1, 0xB2, 0xC3])
    }
}

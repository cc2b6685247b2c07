import TestSupport
import Testing

@testable import Envelope

struct FrameRefusalTests {
    @Test(arguments: 0..<132)
    func `refuses a frame that ends before its body`(_ byteCount: Int) {
        let bytes = Array(Frame.example.bytes(byteCount: 2_822)[..<byteCount])
        #expect(throws: FrameError.tooShort) { try Frame(bytes: bytes) }
    }

    @Test func `refuses a body that is cut, at every byte`() {
        let bytes = Frame.example.bytes(byteCount: 2_822)
        for byteCount in 132..<132 + Frame.example.body.count {
            #expect(throws: FrameError.wrongBodyLength) { try Frame(bytes: Array(bytes[..<byteCount])) }
        }
    }

    @Test(arguments: [0, 1, 2_691, 2_822, 0x7FFF, 0x8000, 65_534, 65_535])
    func `refuses a body length below two or beyond the room`(_ bodyByteCount: Int) {
        var bytes = Frame.example.bytes(byteCount: 2_822)
        bytes[66] = UInt8(bodyByteCount >> 8)
        bytes[67] = UInt8(bodyByteCount & 0xFF)
        #expect(throws: FrameError.wrongBodyLength) { try Frame(bytes: bytes) }
    }

    @Test func `accepts the longest body that there is room for`() throws {
        var bytes = Frame.example.bytes(byteCount: 2_822)
        bytes[66] = UInt8(2_690 >> 8)
        bytes[67] = UInt8(2_690 & 0xFF)
        #expect(try Frame(bytes: bytes).body.count == 2_690)
    }

    @Test func `refuses a body length one too short: the body's last byte is no padding`() {
        var bytes = Frame.example.bytes(byteCount: 2_822)
        bytes[67] -= 1
        #expect(throws: FrameError.paddingNotZero) { try Frame(bytes: bytes) }
    }

    @Test func `refuses any other value in each byte of the padding`() {
        let bytes = Frame.example.bytes(byteCount: 2_822)
        for position in 132 + Frame.example.body.count..<2_822 {
            var padded = bytes
            padded[position] = position.isMultiple(of: 2) ? 0x01 : 0x80
            #expect(throws: FrameError.paddingNotZero) { try Frame(bytes: padded) }
        }
    }

    @Test(arguments: 8..<16)
    func `refuses each critical flag that this version does not know`(_ bit: Int) {
        var bytes = Frame.example.bytes(byteCount: 2_822)
        bytes[64] = 1 << UInt8(bit - 8)
        #expect(throws: FrameError.unknownCriticalFlag) { try Frame(bytes: bytes) }
        bytes[65] = 0xFF
        #expect(throws: FrameError.unknownCriticalFlag) { try Frame(bytes: bytes) }
    }

    @Test(arguments: 0..<8)
    func `accepts and keeps each flag that may be ignored`(_ bit: Int) throws {
        var bytes = Frame.example.bytes(byteCount: 2_822)
        bytes[65] = 1 << UInt8(bit)
        let frame = try Frame(bytes: bytes)
        #expect(frame.flags.rawValue == 1 << UInt16(bit))
        #expect(frame.flags.contains(.truncated) == (bit == 0))
        #expect(frame.bytes(byteCount: 2_822) == bytes)
    }

    @Test func `malformed goes before unsupported: padding is judged before the flags`() {
        var bytes = Frame.example.bytes(byteCount: 2_822)
        bytes[64] = 0x80
        bytes[2_821] = 1
        #expect(throws: FrameError.paddingNotZero) { try Frame(bytes: bytes) }
    }

    @Test(arguments: [RunSeed.here()])
    func `random bytes never trap, and an accepted frame has one spelling`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var acceptedCount = 0
        for _ in 0..<5_000 {
            // Half the head random, the tail mostly zeros, so that a share of them is well-formed.
            let byteCount = Int.random(in: 0...400, using: &random)
            var bytes = [UInt8](repeating: 0, count: byteCount)
            for index in bytes.indices.prefix(140) where Bool.random(using: &random) {
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
            if byteCount > 68 {
                bytes[64] = UInt8.random(in: 0...1, using: &random)
                bytes[66] = UInt8.random(in: 0...1, using: &random)
            }
            guard let frame = try? Frame(bytes: bytes) else { continue }  // Refused: nothing more to ask.
            acceptedCount += 1
            #expect(frame.bytes(byteCount: byteCount) == bytes, "seed \(seed)")
        }
        #expect(acceptedCount > 50, "seed \(seed): \(acceptedCount)")
    }
}

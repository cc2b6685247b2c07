import TestSupport
import Testing

@testable import Envelope

struct FrameTests {
    @Test(arguments: [2_822, 3_590])
    func `every field lies where the layout has it`(_ byteCount: Int) throws {
        var byHand: [UInt8] = []
        byHand += Array(0xA0...0xAF)  // 0: message id
        byHand += [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08]  // 16: sent at
        byHand += [0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18]  // 24: expires at
        byHand += Array(0x40..<0x60)  // 32: sender key
        byHand += [0x00, 0x01]  // 64: flags
        byHand += [0x00, 0x02]  // 66: body length
        byHand += Array(0x80..<0xC0)  // 68: signature
        byHand += Array("{}".utf8)  // 132: body
        byHand += [UInt8](repeating: 0, count: byteCount - 134)
        let frame = try Frame(bytes: byHand)
        #expect(frame.messageID == Array(0xA0...0xAF))
        #expect(frame.sentAt == 0x0102_0304_0506_0708)
        #expect(frame.expiresAt == 0x1112_1314_1516_1718)
        #expect(frame.senderKey == Array(0x40..<0x60))
        #expect(frame.flags == .truncated)
        #expect(frame.signature == Array(0x80..<0xC0))
        #expect(frame.body == Array("{}".utf8))
        #expect(frame.bytes(byteCount: byteCount) == byHand)
        #expect(frame.head == Array(byHand[0..<68]))
    }

    @Test func `the constants are the layout's`() {
        #expect(Frame.signedByteCount == 68)
        #expect(Frame.bodyOffset == 16 + 8 + 8 + 32 + 2 + 2 + 64)
        #expect(Frame.bodyByteCountMin == 2)
        #expect(FrameFlags.truncated.rawValue == 0x0001)
    }

    @Test(arguments: [2, 3, 255, 256, 257, 2_689, 2_690])
    func `a body of every possible length comes back, zeros at its end included`(_ bodyByteCount: Int) throws {
        var frame = Frame.example
        frame.body = [UInt8](repeating: 0x20, count: bodyByteCount - 1) + [0]
        let bytes = frame.bytes(byteCount: 2_822)
        #expect(bytes.count == 2_822)
        #expect(Array(bytes[66..<68]) == [UInt8(bodyByteCount >> 8), UInt8(bodyByteCount & 0xFF)])
        #expect(try Frame(bytes: bytes) == frame)
    }

    @Test(arguments: [RunSeed.here()])
    func `random frames come back`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
        for _ in 0..<100 {
            var frame = Frame(
                messageID: bytes(16),
                sentAt: UInt64.random(in: 0...UInt64.max, using: &random),
                expiresAt: UInt64.random(in: 0...UInt64.max, using: &random),
                senderKey: bytes(32),
                flags: FrameFlags(rawValue: UInt16.random(in: 0...0xFF, using: &random)),
                body: bytes(Int.random(in: 2...2_690, using: &random))
            )
            frame.signature = bytes(64)
            #expect(try Frame(bytes: frame.bytes(byteCount: 2_822)) == frame, "seed \(seed)")
        }
    }

    @Test func `a new frame is unsigned until someone signs it, and what is signed leaves the signature out`() {
        var frame = Frame.example
        let head = frame.head
        frame.signature = [UInt8](repeating: 0xFF, count: 64)
        #expect(frame.head == head)
        let fresh = Frame(
            messageID: Array(0..<16),
            sentAt: 0,
            expiresAt: 0,
            senderKey: Array(0..<32),
            flags: [],
            body: []
        )
        #expect(fresh.signature == [UInt8](repeating: 0, count: 64))
    }
}

extension Frame {
    static var example: Frame {
        var frame = Frame(
            messageID: Array(1...16),
            sentAt: 1_800_000_000_000,
            expiresAt: 1_800_003_600_000,
            senderKey: [UInt8](repeating: 0x5E, count: 32),
            flags: [],
            body: Array(#"{"title":"A","body":"b"}"#.utf8)
        )
        frame.signature = [UInt8](repeating: 0x51, count: 64)
        return frame
    }
}

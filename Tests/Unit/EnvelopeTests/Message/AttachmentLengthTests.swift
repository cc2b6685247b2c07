import TestSupport
import Testing

@testable import Envelope

struct AttachmentLengthTests {
    /// By hand from the paper's algorithm: E = ⌊log₂ L⌋, S = ⌊log₂ E⌋ + 1, the low E − S bits become zero, rounded up.
    @Test(
        arguments: [
            (0, 0), (1, 1), (2, 2), (3, 3), (8, 8), (9, 10), (15, 16), (16, 16), (17, 18), (100, 104), (1_000, 1_024),
            (16_383, 16_384), (16_384, 16_384), (16_385, 17_408), (1_000_000, 1_015_808), (1 << 40, 1 << 40),
        ] as [(UInt64, UInt64)]
    )
    func `a length is padded as the paper says`(_ byteCount: UInt64, _ padded: UInt64) {
        #expect(AttachmentLength.padded(byteCount) == padded)
    }

    @Test func `padding leaves few lengths to tell apart`() {
        #expect(Set((1 << 16...1 << 17).map { AttachmentLength.padded($0) }).count == 33)
    }

    @Test func `padding never shortens, grows with the length, and costs at most 12 percent`() {
        var random = SeededRandom(seed: 5)
        var lengths = (0..<10_000).map { _ in random.next() >> UInt64.random(in: 24..<64, using: &random) }
        lengths.sort()
        var previous: UInt64 = 0
        for length in lengths {
            let padded = AttachmentLength.padded(length)
            #expect(padded >= length && padded >= previous && padded - length <= length * 12 / 100, "\(length)")
            #expect(AttachmentLength.padded(padded) == padded, "\(length)")
            previous = padded
        }
    }

    @Test(
        arguments: [
            (0, 56 + 16), (1, 57 + 16), (16_000, 56 + 16_384 + 2 * 16), (16_384, 56 + 16_384 + 2 * 16),
            (16_385, 56 + 17_408 + 2 * 16), (32_768, 56 + 32_768 + 3 * 16),
        ] as [(UInt64, UInt64)]
    )
    func `what is stored has a head, the padded file, and a tag for each chunk`(_ byteCount: UInt64, _ stored: UInt64) {
        #expect(AttachmentLength.stored(byteCount) == stored)
    }

    @Test(arguments: [.max, .max - 1, .max >> 1, 1 << 63] as [UInt64])
    func `a length that no file has makes nothing overflow`(_ byteCount: UInt64) {
        #expect(AttachmentLength.padded(byteCount) >= byteCount)
        #expect(AttachmentLength.stored(byteCount) >= byteCount)
    }
}

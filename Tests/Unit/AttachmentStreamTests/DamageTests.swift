import Envelope
import TestSupport
import Testing

@testable import AttachmentStream

/// Damage by a host, or in front of it. One fault each; nothing beyond the last good chunk is ever released, and no
/// file stays.
struct DamageTests {
    /// Three chunks, the last one of 2,048 bytes, without padding.
    private static let sample = Sample(byteCount: 34_816)
    private static let other = Sample(byteCount: 34_816, seed: 2)
    private static let chunkByteCount = ChunkFormat.plaintextByteCount

    /// True if it yields the first `count` whole chunks and then the error.
    private func opened(_ sealed: [UInt8], _ error: AttachmentError, afterChunks count: Int) -> Bool {
        let result = Opened([sealed], key: Self.sample.key, context: Self.sample.context)
        return result.released == Array(Self.sample.file[..<(count * Self.chunkByteCount)]) && result.error == error
    }

    private func edited(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
        var sealed = Self.sample.sealed
        change(&sealed)
        return sealed
    }

    @Test func `the sample opens while nothing is done to it`() throws {
        let result = Opened([Self.sample.sealed], key: Self.sample.key, context: Self.sample.context)
        #expect(result.released == Self.sample.file && result.error == nil)
        #expect(try OpenedFile(Self.sample, Self.sample.sealed) == OpenedFile(contents: Self.sample.file))
    }

    /// The released bytes are compared at every 97th length, their number at each.
    @Test func `a file truncated anywhere releases nothing beyond its last good chunk (abuse case 54)`() {
        let sealed = Self.sample.sealed
        for count in sealed.indices {
            let result = Opened([Array(sealed[..<count])], key: Self.sample.key, context: Self.sample.context)
            let wholeCount = max(0, count - ChunkFormat.headByteCount) / ChunkFormat.sealedByteCount
            let isShort = count < ChunkFormat.headByteCount || (count - 56) % ChunkFormat.sealedByteCount < 16
            let isRefused = result.error == (isShort ? .truncated : .damaged(chunk: UInt64(wholeCount)))
            #expect(isRefused && result.released.count == wholeCount * Self.chunkByteCount, "\(count)")
            guard count % 97 == 0 else { continue }
            #expect(result.released.elementsEqual(Self.sample.file[..<result.released.count]), "\(count)")
        }
    }

    @Test(arguments: [0, 23, 55, 56, 71, 72, 16_455, 16_456, 16_457, 32_856, 32_857, 34_919])
    func `a truncated file leaves no file (abuse case 54)`(_ count: Int) throws {
        #expect(Self.sample.sealed.count == 34_920)
        #expect(try OpenedFile(Self.sample, Array(Self.sample.sealed[..<count])) == OpenedFile(.truncated))
    }

    @Test func `a chunk twice is damage where it is wrong (abuse case 54)`() throws {
        let first = Self.sample.sealed[Self.sample.chunk(0)]
        let doubled = edited { $0.insert(contentsOf: first, at: Self.sample.chunk(1).lowerBound) }
        #expect(opened(doubled, .damaged(chunk: 1), afterChunks: 1))
        #expect(try OpenedFile(Self.sample, doubled) == OpenedFile(.damaged(chunk: 1)))
    }

    @Test func `a last chunk twice is damage (abuse case 55)`() throws {
        let last = Self.sample.sealed[Self.sample.chunk(2)]
        #expect(opened(edited { $0 += last }, .damaged(chunk: 2), afterChunks: 2))
    }

    @Test func `chunks in another order are damage (abuse case 54)`() throws {
        let sealed = Self.sample.sealed
        let swapped = edited {
            $0.replaceSubrange(Self.sample.chunk(0), with: sealed[Self.sample.chunk(1)])
            $0.replaceSubrange(Self.sample.chunk(1), with: sealed[Self.sample.chunk(0)])
        }
        #expect(opened(swapped, .damaged(chunk: 0), afterChunks: 0))
        #expect(try OpenedFile(Self.sample, swapped) == OpenedFile(.damaged(chunk: 0)))
    }

    @Test func `a chunk left out is damage (abuse case 54)`() throws {
        let without = edited { $0.removeSubrange(Self.sample.chunk(1)) }
        #expect(opened(without, .damaged(chunk: 1), afterChunks: 1))
        #expect(try OpenedFile(Self.sample, without) == OpenedFile(.truncated))
    }

    @Test(arguments: 0..<3)
    func `a chunk of another file is damage (abuse case 54)`(_ index: Int) throws {
        let range = Self.sample.chunk(index)
        let swapped = edited { $0.replaceSubrange(range, with: Self.other.sealed[range]) }
        #expect(opened(swapped, .damaged(chunk: UInt64(index)), afterChunks: index))
        #expect(try OpenedFile(Self.sample, swapped) == OpenedFile(.damaged(chunk: UInt64(index))))
    }

    @Test func `another file whole is of another key (abuse cases 54 and 56)`() throws {
        #expect(opened(Self.other.sealed, .wrongKey, afterChunks: 0))
        #expect(try OpenedFile(Self.sample, Self.other.sealed) == OpenedFile(.wrongKey))
    }

    @Test(arguments: [1, 15, 16, 17, 16_400])
    func `trailing bytes are refused (abuse case 55)`(_ count: Int) throws {
        let extended = edited { $0 += [UInt8](repeating: 0, count: count) }
        #expect(opened(extended, .damaged(chunk: 2), afterChunks: 2))
        #expect(try OpenedFile(Self.sample, extended) == OpenedFile(.tooLong))
    }

    /// The declared length is the cap: later bytes are not even read.
    @Test func `an endless body is refused at its first byte too many (abuse case 53)`() throws {
        let sealed = Self.sample.sealed
        #expect(try OpenedFile(Self.sample, sealed, [0]) == OpenedFile(.tooLong))
        let short = Sample(byteCount: 100)
        let body = [UInt8](repeating: 0, count: 1 << 20)
        let long = Array(short.sealed[..<(short.sealed.count - 1)]) + body
        #expect(try OpenedFile(short, long) == OpenedFile(.tooLong))
    }

    @Test(arguments: [0, 100, 16_384, 34_815, 34_817, 40_000, 1 << 40])
    func `another length than the sealed one is refused (abuse case 53)`(_ byteCount: Int) throws {
        let sample = Self.sample
        let result = try OpenedFile([sample.sealed], key: sample.key, context: sample.context, byteCount: byteCount)
        #expect(result.contents == nil && result.error != nil)
    }

    @Test func `each bit of the head and of a chunk's first and last bytes counts (abuse case 56)`() {
        let sealed = Self.sample.sealed
        for offset in 0..<ChunkFormat.headByteCount {
            #expect(opened(edited { $0[offset] ^= 1 << UInt8(offset % 8) }, .wrongKey, afterChunks: 0), "\(offset)")
        }
        for index in 0..<3 {
            let range = Self.sample.chunk(index)
            for offset in [range.lowerBound, range.upperBound - 17, range.upperBound - 16, range.upperBound - 1] {
                let flipped = edited { $0[offset] ^= 0x10 }
                #expect(opened(flipped, .damaged(chunk: UInt64(index)), afterChunks: index), "\(offset)")
            }
        }
        #expect(sealed.count == 34_920)
    }

    /// The commitment is checked once the head is there, before any chunk.
    @Test func `a wrong key, id or commitment is refused before the first chunk (abuse case 56)`() {
        let (sample, other) = (Self.sample, Self.other)
        let head = Array(sample.sealed[..<ChunkFormat.headByteCount])
        #expect(Opened([head], key: other.key, context: sample.context).error == .wrongKey)
        #expect(Opened([head], key: sample.key, context: sample.context + [0]).error == .wrongKey)
        #expect(Opened([head], key: sample.key, context: []).error == .wrongKey)
        #expect(Opened([head], key: sample.key, context: sample.context).error == .truncated)
        let wrong = edited { $0[40] ^= 1 }
        #expect(
            Opened([wrong], key: sample.key, context: sample.context) == Opened([head], key: other.key, context: [])
        )
    }

    @Test(arguments: [0, 31, 33, 64])
    func `a key of another length is no key (abuse case 56)`(_ count: Int) throws {
        let sample = Self.sample
        let key = [UInt8](repeating: 1, count: count)
        let result = try OpenedFile([sample.sealed], key: key, context: sample.context, byteCount: sample.file.count)
        #expect(result == OpenedFile(.wrongKey))
    }

    /// 100 bytes are padded to 104.
    @Test(arguments: 100..<104)
    func `padding that is not zeros is refused`(_ offset: Int) throws {
        let sample = Sample(byteCount: 100)
        var padded = sample.file + [0, 0, 0, 0]
        padded[offset] = 1
        let salt = Array(sample.sealed[..<24])
        let sealed = Sample.seal(padded, key: sample.key, salt: salt, context: sample.context)
        #expect(sealed.count == sample.sealed.count)
        #expect(try OpenedFile(sample, sealed) == OpenedFile(.wrongPadding))
    }

    @Test(arguments: [0, 1, 2, 16_383, 16_384, 32_768, 49_152])
    func `an empty file and whole chunks open (abuse case 55)`(_ byteCount: Int) throws {
        let sample = Sample(byteCount: byteCount)
        #expect(try OpenedFile(sample, sample.sealed) == OpenedFile(contents: sample.file))
    }

    /// With whole chunks only, the empty last one marks the end.
    @Test(arguments: [16_384, 32_768])
    func `whole chunks without the empty last one are truncated (abuse case 55)`(_ byteCount: Int) throws {
        let sample = Sample(byteCount: byteCount)
        let without = Array(sample.sealed.dropLast(16))
        let result = Opened([without], key: sample.key, context: sample.context)
        #expect(result.released == sample.file && result.error == .truncated)
        #expect(try OpenedFile(sample, without) == OpenedFile(.truncated))
    }
}

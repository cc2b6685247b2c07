import Foundation
import Primitives
import TestSupport
import Testing

@testable import AttachmentStream

struct AttachmentFileOpenerTests {
    private func opener(_ sample: Sample, at path: String) throws(AttachmentError) -> AttachmentFileOpener {
        try AttachmentFileOpener.create(
            at: path,
            key: sample.key,
            context: sample.context,
            byteCount: UInt64(sample.file.count)
        )
    }

    /// The sealed bytes in pieces of random lengths: single bytes, chunks and more, none at all.
    private func split(_ bytes: [UInt8], _ random: inout SeededRandom) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = [0, 1, 15, 16, 24, 56, 16_384, 16_400, 40_000].randomElement(using: &random) ?? 1
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
            let other = Int.random(in: 0...5_000, using: &random)
            pieces.append(Array(rest.prefix(other)))
            rest = rest.dropFirst(other)
        }
        return pieces
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `any split of the bytes gives the same, genuine or not`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let sample = Sample(byteCount: Int.random(in: 0...70_000, using: &random), seed: seed)
        var bytes = sample.sealed
        // A third as it is, a third with a bit flipped, a third with another length.
        if seed % 3 == 1 { bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 }
        if seed % 3 == 2 {
            bytes = Bool.random(using: &random) ? bytes + [0] : bytes.dropLast(Int.random(in: 1...70, using: &random))
        }
        let pieces = split(bytes, &random)
        let key = sample.key
        #expect(
            Opened(pieces, key: key, context: sample.context) == Opened([bytes], key: key, context: sample.context)
        )
        let byteCount = sample.file.count
        let whole = try OpenedFile([bytes], key: key, context: sample.context, byteCount: byteCount)
        #expect(try OpenedFile(pieces, key: key, context: sample.context, byteCount: byteCount) == whole)
        #expect((whole.contents == sample.file) == (seed % 3 == 0))
    }

    @Test func `one byte at a time is enough`() throws {
        let sample = Sample(byteCount: 20_000)
        let pieces = sample.sealed.map { [$0] }
        let result = try OpenedFile(pieces, key: sample.key, context: sample.context, byteCount: 20_000)
        #expect(result == OpenedFile(contents: sample.file))
    }

    /// While it is open, the file holds whole chunks that are genuine, and not one byte more.
    @Test func `the file grows by good chunks only (abuse case 54)`() throws {
        let folder = try TemporaryFolder()
        let sample = Sample(byteCount: 34_816)
        var opener = try opener(sample, at: folder.path("opened"))
        var taken = 0
        for count in [56, 16_399, 1, 16_400, 2_063, 1] {
            let piece = Array(sample.sealed[taken..<taken + count])
            try unsafe opener.update(piece.span.bytes)
            taken += count
            let contents = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path("opened"))))
            #expect(contents.elementsEqual(sample.file.prefix((taken - 56) / 16_400 * 16_384)), "\(taken)")
        }
        try opener.finish()
        #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.path("opened")))) == sample.file)
    }

    @Test func `an opener that is dropped takes its file along`() throws {
        let folder = try TemporaryFolder()
        let sample = Sample(byteCount: 34_816)
        var opener = try opener(sample, at: folder.path("opened"))
        try unsafe opener.update(sample.sealed.span.bytes)
        #expect(try folder.names() == ["opened"])
        _ = consume opener
        #expect(try folder.names() == [])
    }

    @Test func `after an error the file is gone at once, and the error stays`() throws {
        let folder = try TemporaryFolder()
        let sample = Sample(byteCount: 34_816)
        var damaged = sample.sealed
        damaged[100] ^= 1
        var opener = try opener(sample, at: folder.path("opened"))
        for bytes in [damaged, sample.sealed, []] {
            do throws(AttachmentError) {
                try unsafe opener.update(bytes.span.bytes)
                Issue.record("it was taken")
            } catch {
                #expect(error == .damaged(chunk: 0))
            }
            #expect(try folder.names() == [])
        }
        do throws(AttachmentError) {
            try opener.finish()
            Issue.record("it was finished")
        } catch {
            #expect(error == .damaged(chunk: 0))
        }
    }

    @Test func `a folder that is gone is an error of the file`() throws {
        let folder = try TemporaryFolder()
        #expect(throws: AttachmentError.file(operation: .create, errno: ENOENT)) {
            _ = try opener(Sample(byteCount: 3), at: folder.path("missing/opened"))
        }
    }
}

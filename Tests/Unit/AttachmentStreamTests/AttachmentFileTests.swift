import Envelope
import Foundation
import Primitives
import TestSupport
import Testing

@testable import AttachmentStream

struct AttachmentFileTests {
    private let folder: TemporaryFolder
    private let key = [UInt8](repeating: 7, count: 32)

    init() throws { folder = try TemporaryFolder() }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path(name)))
    }

    private func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path(name))))
    }

    private func seal(random: inout some RandomSource, to name: String = "sealed") throws(AttachmentError) -> UInt64 {
        try AttachmentFile.seal(
            from: folder.path("picture"),
            to: folder.path(name),
            key: key,
            context: [1, 2],
            random: &random
        )
    }

    private func open(byteCount: UInt64) throws(AttachmentError) {
        try AttachmentFile.open(
            from: folder.path("sealed"),
            to: folder.path("opened"),
            key: key,
            context: [1, 2],
            byteCount: byteCount
        )
    }

    @Test(arguments: [0, 1, 2, 16_383, 16_384, 16_385, 40_000, 49_152])
    func `a file comes back as it was`(_ byteCount: Int) throws {
        var random = SeededRandom(seed: UInt64(byteCount))
        let bytes = random.bytes(count: byteCount)
        try write(bytes, "picture")
        let count = try seal(random: &random)
        #expect(count == byteCount)
        #expect(UInt64(try read("sealed").count) == AttachmentLength.stored(count))
        try open(byteCount: count)
        #expect(try read("opened") == bytes)
    }

    @Test func `only the owner can read what was written`() throws {
        var random = SeededRandom(seed: 1)
        try write([1, 2, 3], "picture")
        try open(byteCount: try seal(random: &random))
        for name in ["sealed", "opened"] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
    }

    @Test func `two seals of one file have nothing in common`() throws {
        var random = SeededRandom(seed: 1)
        try write([UInt8](repeating: 0, count: 4_096), "picture")
        _ = try seal(random: &random)
        _ = try seal(random: &random, to: "again")
        let (one, other) = (try read("sealed"), try read("again"))
        #expect(one[..<24] != other[..<24] && one[24..<56] != other[24..<56] && one[56..<72] != other[56..<72])
    }

    @Test func `a file that is there already is not touched`() throws {
        var random = SeededRandom(seed: 1)
        try write([1, 2, 3], "picture")
        try write([9], "sealed")
        #expect(throws: AttachmentError.file(operation: .create, errno: EEXIST)) { try seal(random: &random) }
        #expect(try read("sealed") == [9])
        try write([8], "opened")
        #expect(throws: AttachmentError.file(operation: .create, errno: EEXIST)) { try open(byteCount: 3) }
        #expect(try read("opened") == [8])
    }

    @Test func `a file that is not there, or is none, is refused`() throws {
        var random = SeededRandom(seed: 1)
        #expect(throws: AttachmentError.file(operation: .open, errno: ENOENT)) { try seal(random: &random) }
        try FileManager.default.createDirectory(atPath: folder.path("picture"), withIntermediateDirectories: false)
        #expect(throws: AttachmentError.notARegularFile) { try seal(random: &random) }
        try FileManager.default.removeItem(atPath: folder.path("picture"))
        #expect(unsafe mkfifo(folder.path("picture"), 0o600) == 0)
        #expect(throws: AttachmentError.notARegularFile) { try seal(random: &random) }
        #expect(try folder.names() == ["picture"])
    }

    /// Changes the file at the draw of the salt: after its length was read, before its bytes are.
    private struct Meddler: RandomSource {
        let change: () -> Void

        mutating func fill(_ span: inout MutableRawSpan) { change() }
    }

    @Test(arguments: [0, 9_999, 10_001, 10_200, 20_000])
    func `a file that changes its length meanwhile is not sealed`(_ byteCount: Int) throws {
        try write([UInt8](repeating: 1, count: 10_000), "picture")
        var meddler = Meddler { [folder] in _ = unsafe truncate(folder.path("picture"), off_t(byteCount)) }
        #expect(throws: AttachmentError.sourceChanged) { try seal(random: &meddler) }
        #expect(try folder.names() == ["picture"])
    }

    /// A sparse file, one byte longer than the longest.
    @Test func `a file that is too long is not begun`() throws {
        var random = SeededRandom(seed: 1)
        try write([], "picture")
        #expect(unsafe truncate(folder.path("picture"), off_t(AttachmentLength.byteCountMax) + 1) == 0)
        #expect(throws: AttachmentError.tooLong) { try seal(random: &random) }
        #expect(throws: AttachmentError.tooLong) {
            _ = try AttachmentFileOpener.create(
                at: folder.path("opened"),
                key: key,
                context: [],
                byteCount: AttachmentLength.byteCountMax + 1
            )
        }
        #expect(try folder.names() == ["picture"])
    }

    @Test func `a damaged file is not opened`() throws {
        var random = SeededRandom(seed: 1)
        try write([UInt8](repeating: 1, count: 40_000), "picture")
        _ = try seal(random: &random)
        var sealed = try read("sealed")
        sealed[20_000] ^= 1
        try write(sealed, "sealed")
        #expect(throws: AttachmentError.damaged(chunk: 1)) { try open(byteCount: 40_000) }
        #expect(try folder.names() == ["picture", "sealed"])
    }
}

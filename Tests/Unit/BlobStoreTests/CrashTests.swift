import BlobStorePattern
import Foundation
import Platform
import TestSupport
import Testing

@testable import BlobStore

/// A process with real files, killed at work.
struct CrashTests {
    private let place: TemporaryFolder
    private let path: String

    init() throws {
        place = try TemporaryFolder()
        path = place.path("blobs")
    }

    private struct Said {
        var offset: UInt64 = 0
        var byteCount: UInt64 = 0
        var isPublished = false
        var isAbandoned = false
    }

    @Test func `after any of 60 kills what was acknowledged is there, and nothing is there in halves`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        var publishedCount = 0
        var unfinishedCount = 0
        for round in 0..<60 {
            var said: [String: Said] = [:]
            let probe = try Probe.start("upload", path, "\(random.next())")
            for _ in 0..<Int.random(in: 1...30, using: &random) { Self.note(probe.line() ?? "", in: &said) }
            // Somewhere in the middle of its next work.
            var turns = Int.random(in: 0..<100_000, using: &random)
            while turns > 0 { turns -= 1 }
            probe.kill()
            for line in probe.rest().split(separator: "\n") { Self.note(String(line), in: &said) }
            try check(said, "round \(round), seed \(seed)")
            publishedCount += said.values.count { $0.isPublished }
            unfinishedCount += said.values.count { !$0.isPublished && !$0.isAbandoned }
        }
        #expect(publishedCount > 0 && unfinishedCount > 0, "seed \(seed)")
        // Once everything has expired, nothing is left and nothing is counted.
        let folder = try open()
        try folder.collect(now: Pattern.now + 30 * 86_400)
        #expect(try FolderLayout.names(folder.layout.uploads).isEmpty)
        let shards = try FolderLayout.names(folder.layout.blobs)
        #expect(try shards.allSatisfy { try FolderLayout.names("\(folder.layout.blobs)/\($0)").isEmpty })
        #expect(folder.state.withLock { $0.usage.values.allSatisfy { $0 == Usage() } })
    }

    /// Opens the folder. Until its exec, another test's child may hold a copy of this process's descriptors, and with
    /// it the lock.
    private func open() throws(BlobError) -> BlobFolder {
        while true {
            do throws(BlobError) {
                return try BlobFolder.open(path, now: Pattern.now)
            } catch BlobError.folderInUse {
                sched_yield()
            }
        }
    }

    /// Parses a line; the last one of a killed process may be cut off, and is skipped.
    private static func note(_ line: String, in said: inout [String: Said]) {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("offset", 4):
            guard let offset = UInt64(words[2]), let byteCount = UInt64(words[3]) else { return }
            said[words[1], default: Said()].offset = offset
            said[words[1], default: Said()].byteCount = byteCount
        case ("published", 3): said[words[1], default: Said()].isPublished = true
        case ("abandoning", 2): said[words[1], default: Said()].isAbandoned = true
        default: return
        }
    }

    private func check(_ said: [String: Said], _ what: Comment) throws {
        let folder = try open()
        for (name, said) in said {
            let id = try #require(UploadID(name[...]), what)
            if said.isAbandoned { continue }
            let status = try folder.status(id, of: Pattern.tenant, now: Pattern.now)
            #expect(status.offset >= said.offset, what)
            #expect(status.isPublished || !said.isPublished, what)
            let place = status.isPublished ? folder.layout.blob(id.blobID) : folder.layout.upload(id)
            let file = try FolderFile.open(place, O_RDONLY, "open")
            let bytes = try file.read(Int(status.offset), at: UInt64(BlobHeader.byteCount))
            #expect(bytes == Pattern.bytes(id, 0..<status.offset), what)
        }
        // Only whole blobs are visible.
        for shard in try FolderLayout.names(folder.layout.blobs) {
            for name in try FolderLayout.names("\(folder.layout.blobs)/\(shard)") {
                let id = try #require(BlobID(name[...]), what)
                #expect(try folder.read(id, now: Pattern.now) != nil, what)
            }
        }
    }

    @Test func `a full disk is said, and the upload goes on where it was`() throws {
        let probe = try Probe.start("full", path, "20000")
        #expect(probe.rest() == "offset 10000\nfull 10000\n")
        let folder = try open()
        let name = try #require(try FolderLayout.names(folder.layout.uploads).first)
        let id = try #require(UploadID(name[...]))
        _ = try folder.append(
            Pattern.bytes(id, 10_000..<20_000),
            to: id,
            of: Pattern.tenant,
            at: 10_000,
            now: Pattern.now
        )
        _ = try folder.publish(id, of: Pattern.tenant, now: Pattern.now)
        #expect(try folder.read(id.blobID, now: Pattern.now) != nil)
    }
}

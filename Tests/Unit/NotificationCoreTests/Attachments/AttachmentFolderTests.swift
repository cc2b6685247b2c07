import Foundation
import TestSupport
import Testing

@testable import NotificationCore

/// A killed process's files, which go when the next one begins; files that iOS may still be moving stay.
struct AttachmentFolderTests {
    private let temporary: TemporaryFolder

    init() throws { temporary = try TemporaryFolder() }

    private func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: temporary.path(AttachmentFolder.name))
            .filter { $0.contains("/") && !$0.hasSuffix("/lock") }
            .map { ($0 as NSString).pathExtension }
            .sorted()
    }

    private func make(_ path: String, age: TimeInterval = 0) throws {
        try Data([1]).write(to: URL(fileURLWithPath: path))
        let date = Date().addingTimeInterval(-age)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    @Test func `names are random, and never used twice`() throws {
        let folder = try #require(AttachmentFolder.make(in: temporary.path))
        let paths = (0..<100).map { _ in folder.newPath(".png") }
        #expect(Set(paths).count == 100)
        #expect(paths.allSatisfy { $0.hasPrefix(folder.path + "/") && $0.count == folder.path.count + 37 })
    }

    @Test func `a dead process's files go, but for those that iOS may still be moving`() throws {
        do {
            let dead = try #require(AttachmentFolder.make(in: temporary.path))
            try make(dead.newPath(".part"))
            try make(dead.newPath(".jpg"))
            try make(dead.newPath(".png"), age: 7_200)
            try make(dead.newPath(".gif"), age: -7_200)
        }
        _ = try #require(AttachmentFolder.make(in: temporary.path))
        #expect(try files() == ["jpg"])
    }

    @Test func `a living process's files stay`() throws {
        let living = try #require(AttachmentFolder.make(in: temporary.path))
        try make(living.newPath(".part"), age: 7_200)
        _ = try #require(AttachmentFolder.make(in: temporary.path))
        #expect(try files() == ["part"])
    }

    @Test func `of a dead process nothing stays that has no file`() throws {
        do { _ = try #require(AttachmentFolder.make(in: temporary.path)) }
        let living = try #require(AttachmentFolder.make(in: temporary.path))
        let names = try FileManager.default.contentsOfDirectory(atPath: temporary.path(AttachmentFolder.name))
        #expect(names.map { living.path.hasSuffix($0) } == [true])
    }

    @Test func `a folder that was taken away is made again`() throws {
        let first = try #require(AttachmentFolder.ofProcess(in: temporary.path))
        #expect(AttachmentFolder.ofProcess(in: temporary.path) === first)
        try FileManager.default.removeItem(atPath: temporary.path(AttachmentFolder.name))
        let second = try #require(AttachmentFolder.ofProcess(in: temporary.path))
        #expect(second.path != first.path && FileManager.default.fileExists(atPath: second.path))
    }

    @Test func `without a folder for temporary files there is none (abuse case 65)`() throws {
        #expect(AttachmentFolder.ofProcess(in: temporary.path("gone")) == nil)
    }
}

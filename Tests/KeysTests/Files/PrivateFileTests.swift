import Glibc
import Primitives
import TestSupport
import Testing

@testable import Keys

struct PrivateFileTests {
    private static let marked = "# SealedPush example key: published, protects nothing.\nsecret\n"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [0o600, 0o400, 0o700])
    func `a file that only its owner may read is read, byte for byte`(_ mode: Int) throws {
        let path = try folder.makeFile("key", "a secret\r\n\u{0}", mode: mode)
        #expect(try contents(path) == Array("a secret\r\n\u{0}".utf8))
    }

    @Test(arguments: [0o640, 0o604, 0o644, 0o660, 0o620, 0o602, 0o610, 0o601, 0o666, 0o777])
    func `a file that others may touch is refused, and the error names its mode`(_ mode: Int) throws {
        let path = try folder.makeFile("key", "a secret", mode: mode)
        #expect(throws: FileError.permissionsTooLoose(path: path, mode: UInt32(mode))) { try contents(path) }
        #expect(throws: FileError.permissionsTooLoose(path: path, mode: UInt32(mode))) {
            try contents(path, exampleKeys: .allowed)
        }
    }

    @Test(arguments: [0o600, 0o644, 0o666])
    func `a marked key is refused unless asked for, and its mode is not asked for`(_ mode: Int) throws {
        let path = try folder.makeFile("key", Self.marked, mode: mode)
        #expect(throws: FileError.exampleKey(path: path)) { try contents(path) }
        #expect(try contents(path, exampleKeys: .allowed) == Array(Self.marked.utf8))
    }

    @Test(arguments: ["\n", "secret\n", " ", "#", "\u{FEFF}"])
    func `a marker that does not begin the file is none`(_ before: String) throws {
        let loose = try folder.makeFile("loose", before + Self.marked, mode: 0o644)
        #expect(throws: FileError.permissionsTooLoose(path: loose, mode: 0o644)) {
            try contents(loose, exampleKeys: .allowed)
        }
        let tight = try folder.makeFile("tight", before + Self.marked)
        #expect(try contents(tight) == Array((before + Self.marked).utf8))
    }

    @Test(arguments: ["# SealedPush example ke", "# sealedpush example key", "#  SealedPush example key"])
    func `a marker that is not spelled out is none`(_ text: String) throws {
        let path = try folder.makeFile("key", text, mode: 0o644)
        #expect(throws: FileError.permissionsTooLoose(path: path, mode: 0o644)) {
            try contents(path, exampleKeys: .allowed)
        }
    }

    @Test func `a missing file is not found`() {
        let path = folder.path("missing")
        #expect(throws: FileError.notFound(path: path)) { try contents(path) }
        #expect(throws: FileError.notFound(path: "")) { try contents("") }
    }

    @Test func `a file as a folder is the system's error`() throws {
        let path = try folder.makeFile("key", "a secret") + "/key"
        #expect(throws: FileError.system(call: "open", path: path, code: ENOTDIR)) { try contents(path) }
    }

    @Test func `a folder, a device and a FIFO that nobody writes to are no regular files`() throws {
        let fifo = folder.path("fifo")
        try #require(unsafe mkfifo(fifo, 0o600) == 0)
        for path in [folder.path, "/dev/zero", fifo] {
            #expect(throws: FileError.notARegularFile(path: path)) { try contents(path) }
        }
    }

    @Test func `an empty file is refused`() throws {
        let path = try folder.makeFile("key", "")
        #expect(throws: FileError.empty(path: path)) { try contents(path) }
    }

    @Test func `64 KiB are read and one byte more is too large`() throws {
        let full = try folder.makeFile("full", String(repeating: "k", count: 65_536))
        #expect(try contents(full).count == 65_536)
        let path = try folder.makeFile("larger", String(repeating: "k", count: 65_537))
        #expect(throws: FileError.tooLarge(path: path, byteCountMax: 65_536)) { try contents(path) }
    }

    @Test func `a link to a key is followed, and the key's own mode counts`() throws {
        let key = try folder.makeFile("key", "a secret", mode: 0o640)
        let link = folder.path("link")
        try #require(unsafe symlink(key, link) == 0)
        #expect(throws: FileError.permissionsTooLoose(path: link, mode: 0o640)) { try contents(link) }
        try #require(unsafe chmod(key, 0o600) == 0)
        #expect(try contents(link) == Array("a secret".utf8))
    }

    private func contents(
        _ path: String,
        exampleKeys: PrivateFile.ExampleKeys = .refused
    ) throws -> [UInt8] {
        try PrivateFile.read(path, exampleKeys: exampleKeys).withBytes { [UInt8](copying: $0) }
    }
}

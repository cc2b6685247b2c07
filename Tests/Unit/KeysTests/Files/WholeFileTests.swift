import Platform
import TestSupport
import Testing

@testable import Keys

struct WholeFileReadTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
    func `a file of exactly the limit is read and one byte more is too large`(_ byteCount: Int) throws {
        let text = String(repeating: "x", count: byteCount)
        let path = try folder.makeFile("file", text)
        #expect(try WholeFile.read(path, byteCountMax: byteCount) == Array(text.utf8))
        let larger = try folder.makeFile("larger", text + "x")
        #expect(throws: FileError.tooLarge(path: larger, byteCountMax: byteCount)) {
            try WholeFile.read(larger, byteCountMax: byteCount)
        }
    }

    @Test func `a file without end is too large`() {
        #expect(throws: FileError.tooLarge(path: "/dev/zero", byteCountMax: 1_000_000)) {
            try WholeFile.read("/dev/zero", byteCountMax: 1_000_000)
        }
    }

    @Test func `a missing file is not found and a folder is the system's error`() {
        let missing = folder.path("missing")
        #expect(throws: FileError.notFound(path: missing)) { try WholeFile.read(missing, byteCountMax: 10) }
        #expect(throws: FileError.system(call: "read", path: folder.path, code: EISDIR)) {
            try WholeFile.read(folder.path, byteCountMax: 10)
        }
    }
}

struct WholeFileWriteTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [0, 1, 300_000])
    func `what is written is read`(_ byteCount: Int) throws {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }
        let path = folder.path("file")
        try WholeFile.write(bytes, to: path, access: .ownerOnly)
        #expect(try WholeFile.read(path, byteCountMax: byteCount) == bytes)
        #expect(try folder.names() == ["file"])
    }

    @Test func `a private file has mode 0600, also in the place of a looser one`() throws {
        let path = try folder.makeFile("file", "old", mode: 0o666)
        try WholeFile.write(Array("new".utf8), to: path, access: .ownerOnly)
        #expect(try mode(path) == 0o600)
        #expect(try text(path) == "new")
        #expect(try folder.names() == ["file"])
    }

    @Test func `a public file may be read by others and written by none of them`() throws {
        let path = folder.path("file")
        try WholeFile.write([1], to: path, access: .everyone)
        // The umask may take bits away.
        #expect(try mode(path) & ~0o644 == 0)
    }

    @Test func `who has the old file open goes on reading the old file`() throws {
        let path = try folder.makeFile("file", "old")
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try WholeFile.write(Array("new".utf8), to: path, access: .ownerOnly)
        var bytes = [UInt8](repeating: 0, count: 10)
        #expect(unsafe read(descriptor, &bytes, bytes.count) == 3)
        #expect(bytes.prefix(3) == Array("old".utf8)[...])
    }

    @Test func `a missing folder is not found, and nothing is made`() throws {
        let path = folder.path("missing/file")
        #expect(throws: FileError.notFound(path: path)) { try write("new", path) }
        #expect(try folder.names() == [])
    }

    @Test func `a folder, a FIFO and a link are not replaced, nor what a link leads to`() throws {
        let target = try folder.makeFile("target", "old")
        let (fifo, link, inner) = (folder.path("fifo"), folder.path("link"), folder.path("inner"))
        try #require(unsafe mkfifo(fifo, 0o600) == 0)
        try #require(unsafe symlink(target, link) == 0)
        try #require(unsafe mkdir(inner, 0o700) == 0)
        for path in [fifo, link, inner, "/dev/null"] {
            #expect(throws: FileError.notARegularFile(path: path)) { try write("new", path) }
        }
        #expect(try text(target) == "old")
        #expect(try folder.names() == ["fifo", "inner", "link", "target"])
    }

    #if os(Linux)
    @Test func `the old file survives a folder that may not be written, and nothing is left beside it`() throws {
        let path = try folder.makeFile("file", "old")
        try #require(unsafe chmod(folder.path, 0o555) == 0)
        defer { unsafe chmod(folder.path, 0o755) }
        let code = try Unprivileged.run { errorCode(of: "open") { () throws(FileError) in try write("new", path) } }
        #expect(code == EACCES)
        #expect(try text(path) == "old")
        #expect(try folder.names() == ["file"])
    }

    /// In a sticky folder the temporary file is written whole, and only the rename over another user's file fails.
    @Test(.enabled(if: geteuid() == 0, "needs files of two users"))
    func `the old file survives a rename that fails, and nothing is left beside it`() throws {
        let path = try folder.makeFile("file", "old", mode: 0o644)
        try #require(unsafe chmod(folder.path, 0o1777) == 0)
        let code = try Unprivileged.run { errorCode(of: "rename") { () throws(FileError) in try write("new", path) } }
        #expect(code == EPERM)
        #expect(try text(path) == "old")
        #expect(try folder.names() == ["file"])
    }
    #endif

    private func write(_ text: String, _ path: String) throws(FileError) {
        try WholeFile.write(Array(text.utf8), to: path, access: .ownerOnly)
    }

    /// - Returns: the error code of `call`; nil if another call failed, or none.
    private func errorCode(of call: String, _ body: () throws(FileError) -> Void) -> Int32? {
        guard case .system(call, _, let code)? = refusal(body) else { return nil }
        return code
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try WholeFile.read(path, byteCountMax: 1_000), as: UTF8.self)
    }

    private func mode(_ path: String) throws -> UInt32 {
        var status = stat()
        try #require(unsafe stat(path, &status) == 0)
        return status.st_mode & 0o7777
    }
}

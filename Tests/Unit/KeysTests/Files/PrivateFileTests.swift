import Platform
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

    @Test func `a group may read a file of root's if the process is not root, as a cluster mounts secrets`() {
        for mode in [0o400, 0o440, 0o600, 0o640] as [UInt32] {
            #expect(PrivateFile.isPrivate(mode, owner: 0, user: 1_000), "\(mode)")
            #expect(PrivateFile.isPrivate(mode, owner: 0, user: 0) == (mode & 0o077 == 0), "\(mode)")
            #expect(PrivateFile.isPrivate(mode, owner: 1_000, user: 1_000) == (mode & 0o077 == 0), "\(mode)")
        }
        for mode in [0o444, 0o644, 0o660, 0o604, 0o620, 0o602, 0o610, 0o601, 0o777] as [UInt32] {
            #expect(!PrivateFile.isPrivate(mode, owner: 0, user: 1_000), "\(mode)")
        }
    }

    @Test(arguments: [0o600, 0o644, 0o666])
    func `a marked key is refused unless asked for, and its mode is not asked for`(_ mode: Int) throws {
        let path = try folder.makeFile("key", Self.marked, mode: mode)
        #expect(throws: FileError.exampleKey(path: path)) { try contents(path) }
        #expect(try contents(path, exampleKeys: .allowed) == Array(Self.marked.utf8))
    }

    @Test(arguments: [0o600, 0o644, 0o666])
    func `the published provider key is refused unless asked for, and its mode is not asked for`(_ mode: Int) throws {
        let key = try Self.providerKey()
        let path = try folder.makeFile("AuthKey.p8", key, mode: mode)
        #expect(throws: FileError.exampleKey(path: path)) { try contents(path) }
        #expect(try contents(path, exampleKeys: .allowed) == Array(key.utf8))
    }

    @Test func `a provider key that is not the published one is a key like any other`() throws {
        let key = try Self.providerKey().replacing("MIGH", with: "MIGI")
        let loose = try folder.makeFile("loose", key, mode: 0o644)
        #expect(throws: FileError.permissionsTooLoose(path: loose, mode: 0o644)) {
            try contents(loose, exampleKeys: .allowed)
        }
        #expect(try contents(folder.makeFile("tight", key)) == Array(key.utf8))
    }

    /// As strictly as swift-crypto's PEM reader, which takes no text beside the block (PEMDocument in its
    /// `Crypto/ASN1/PEMDocument.swift`), and as Apple issues keys.
    @Test func `the published provider key is one PEM block, without a word beside it`() throws {
        let key = try Self.providerKey()
        #expect(key.hasSuffix("-----\n") && !key.hasSuffix("\n\n"))
        let lines = key.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "-----BEGIN PRIVATE KEY-----")
        #expect(lines.last == "-----END PRIVATE KEY-----")
        let body = lines.dropFirst().dropLast()
        #expect(body.dropLast().allSatisfy { $0.utf8.count == 64 })
        #expect(!body.isEmpty && body.allSatisfy { (1...64).contains($0.utf8.count) })
        let digits = body.joined().utf8.prefix { $0 != UInt8(ascii: "=") }
        #expect(digits.allSatisfy { $0.isBase64Digit } && digits.count > 150)
    }

    private static func providerKey() throws -> String {
        let path = #filePath.split(separator: "/").dropLast(5).map { "/" + $0 }.joined() + "/keys-example/provider.p8"
        return String(decoding: try WholeFile.read(path, byteCountMax: 1_024), as: UTF8.self)
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

extension UInt8 {
    fileprivate var isBase64Digit: Bool {
        let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20
        return isLetter || UInt8(ascii: "0")...UInt8(ascii: "9") ~= self || self == UInt8(ascii: "+")
            || self == UInt8(ascii: "/")
    }
}

import Envelope
import Keys
import Platform
import Primitives
import TestSupport
import Testing

@testable import Opening

struct FileSecretStoreTests {
    private let folder: TemporaryFolder
    private let lock = DeviceLockBox()

    init() throws { folder = try TemporaryFolder() }

    private var store: FileSecretStore {
        let lock = lock
        return FileSecretStore(folder: folder.path("store")) { lock.state }
    }

    private func write(_ bytes: [UInt8], to name: RecordName, _ protection: ProtectionClass) throws(SecretStoreError) {
        let secret = SecretBytes(byteCount: bytes.count) { span in
            for (offset, byte) in bytes.enumerated() { span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self) }
        }
        try secret.withBytes { span throws(SecretStoreError) in
            try store.write(span, to: name, protection: protection)
        }
    }

    private func read(_ name: RecordName) throws(SecretStoreError) -> [UInt8] {
        let secret = try store.read(name)
        return secret.withBytes { [UInt8](copying: $0) }
    }

    private func error(_ name: RecordName) -> SecretStoreError? {
        refusal { () throws(SecretStoreError) in _ = try read(name) }
    }

    @Test func `a record comes back, is replaced whole, and is gone when deleted`() throws {
        #expect(error(.identity) == .notFound)
        try write([1, 2, 3], to: .identity, .afterFirstUnlock)
        #expect(try read(.identity) == [1, 2, 3])
        try write([UInt8](repeating: 9, count: 16_384), to: .identity, .unlocked)
        #expect(try read(.identity).count == 16_384)
        try store.delete(.identity)
        #expect(error(.identity) == .notFound)
        try store.delete(.identity)
    }

    @Test func `files and their folder are their owner's alone`() throws {
        try write([1], to: .ring, .afterFirstUnlock)
        #expect(try mode("store") == 0o700)
        #expect(try mode("store/ring.secret") == 0o600)
        #expect(try folder.names(in: "store") == ["ring.secret"])
    }

    /// Abuse case 49 for keys: the device's state decides, and nothing is found where it forbids it.
    @Test(arguments: DeviceLock.allCases, [ProtectionClass.afterFirstUnlock, .unlocked])
    func `a record is readable and writable as its class says, and otherwise locked (abuse case 49)`(
        _ state: DeviceLock,
        _ protection: ProtectionClass
    ) throws {
        let expected: [DeviceLock: [ProtectionClass]] = [
            .beforeFirstUnlock: [], .locked: [.afterFirstUnlock], .unlocked: [.afterFirstUnlock, .unlocked],
        ]
        let isPermitted = expected[state, default: []].contains(protection)
        try write([7], to: .ring, protection)
        lock.set(state)
        #expect(error(.ring) == (isPermitted ? nil : .locked))
        let refused = refusal { () throws(SecretStoreError) in try write([8], to: .ring, protection) }
        #expect(refused == (isPermitted ? nil : .locked))
        lock.set(.unlocked)
        #expect(try read(.ring) == [isPermitted ? 8 : 7])
        lock.set(state)
        try store.delete(.ring)
        #expect(error(.ring) == .notFound)
    }

    @Test(arguments: [
        "", "S", "SPrecrd", "SPrecrd\u{1}", "SPrecrd\u{3}secret", "SPrecrd\u{0}secret", "SPrecre\u{1}secret",
        "\u{0}Precrd\u{1}secret", "# SealedPush example key\nSPrecrd\u{1}secret",
    ])
    func `a file that is no record is damaged (abuse case 49)`(_ text: String) throws {
        try write([1], to: .ring, .afterFirstUnlock)
        _ = try folder.makeFile("store/ring.secret", text)
        #expect(error(.ring) == .damaged)
    }

    @Test func `a file that is too long, or that others may read, is damaged (abuse case 49)`() throws {
        try write([1], to: .ring, .afterFirstUnlock)
        let path = try folder.makeFile("store/ring.secret", "SPrecrd\u{1}" + String(repeating: "x", count: 16_385))
        #expect(error(.ring) == .damaged)
        _ = try folder.makeFile("store/ring.secret", "SPrecrd\u{1}secret", mode: 0o640)
        #expect(error(.ring) == .damaged)
        try #require(unsafe unlink(path) == 0 && mkdir(path, 0o700) == 0)
        #expect(error(.ring) == .damaged)
    }

    @Test func `names are those of records and nothing else`() throws {
        let id = try #require(PrekeyID([1, 2, 3, 4, 5, 6, 7, 0xAB]))
        #expect(try store.names().isEmpty)
        try write([1], to: .ring, .afterFirstUnlock)
        try write([1], to: .prekey(id), .unlocked)
        for name in [
            "ring", "other.secret", "prekey-01020304050607AB.secret", "prekey-01.secret", "prekey-0102030405060708.tmp",
            "prekey-.secret", ".secret",
        ] {
            _ = try folder.makeFile("store/" + name, "SPrecrd\u{1}x")
        }
        lock.set(.beforeFirstUnlock)
        #expect(try Set(store.names()) == [.ring, .prekey(id)])
        #expect(RecordName.prekey(id).description == "prekey-01020304050607ab")
        #expect(RecordName.prekey(id).prekeyID == id)
    }

    @Test func `what a write left behind that was cut short goes, and records stay`() throws {
        try write([1], to: .ring, .afterFirstUnlock)
        _ = try folder.makeFile("store/ring.secret.12.345.tmp", "SPrecrd\u{1}ha")
        try store.removeRemains()
        #expect(try folder.names(in: "store") == ["ring.secret"])
    }

    @Test func `a folder that is not to be had is an error with the system's code (abuse case 49)`() throws {
        _ = try folder.makeFile("store", "a file where the folder should be")
        let refused = refusal { () throws(SecretStoreError) in try write([1], to: .ring, .afterFirstUnlock) }
        #expect(refused == .system(call: "lstat", code: ENOTDIR))
        #expect(error(.ring) == .system(call: "open", code: ENOTDIR))
    }

    @Test func `what the system refuses to open is locked, as iOS does it (abuse case 49)`() {
        for code in [EACCES, EPERM] {
            #expect(SecretStoreError(FileError.system(call: "open", path: "/p", code: code)) == .locked)
        }
        #expect(SecretStoreError(FileError.system(call: "write", path: "/p", code: ENOSPC)) != .locked)
    }

    @Test func `each answer of the Keychain is a typed error (abuse case 106)`() {
        let expected: [(status: Int32, error: SecretStoreError)] = [
            (-25_300, .notFound), (-25_308, .locked), (-26_275, .damaged),
            (-34_018, .system(call: "SecItemAdd", code: -34_018)),
            (-25_291, .system(call: "SecItemAdd", code: -25_291)),
            (-50, .system(call: "SecItemAdd", code: -50)),
        ]
        for (status, error) in expected {
            #expect(SecretStoreError(keychainStatus: status, call: "SecItemAdd") == error)
        }
        #expect(SecretStoreError.keychainDuplicate == -25_299)
    }

    @Test func `no error names a path or holds a byte of a record`() throws {
        _ = try folder.makeFile("store", "secret words")
        let shown = "\(try #require(error(.ring)))"
        #expect(!shown.contains(folder.path) && !shown.contains("words"))
    }

    private func mode(_ name: String) throws -> UInt32 {
        var status = stat()
        try #require(unsafe stat(folder.path(name), &status) == 0)
        return status.st_mode & 0o777
    }
}

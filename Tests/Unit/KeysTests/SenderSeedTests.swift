import Keys
import Platform
import Primitives
import Sealing
import TestSupport
import Testing

/// A sender's key in a secret store of the back end's own: 32 bytes out, 32 bytes in.
struct SenderSeedTests {
    @Test func `a sender that was made again from its seed is the same to devices`() throws {
        let sender = SenderIdentity()
        let seed = sender.withSeed { [UInt8](copying: $0) }
        #expect(seed.count == SenderIdentity.seedByteCount)
        #expect(try SenderIdentity(seed: unsafe seed.span.bytes).publicKey == sender.publicKey)
    }

    /// RFC 8032 section 7.1, test 1: so that another library's key is the same sender here.
    @Test func `a seed is RFC 8032's private key`() throws {
        let seed = try #require(Hex.decode("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
        let publicKey = try #require(Hex.decode("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))
        #expect(try SenderIdentity(seed: unsafe seed.span.bytes).publicKey.rawRepresentation == publicKey)
    }

    @Test(arguments: [0, 1, 31, 33, 43, 64])
    func `a seed of another length is refused by its length`(_ byteCount: Int) {
        let seed = [UInt8](repeating: 7, count: byteCount)
        let expected = SenderSeedError.wrongByteCount(expected: 32, actual: byteCount)
        #expect(refusal(seed) == expected)
    }

    @Test func `memory that was never written is no seed`() {
        #expect(refusal([UInt8](repeating: 0, count: 32)) == .zeros)
        #expect(refusal([UInt8](repeating: 0, count: 31) + [1]) == nil)
    }

    private func refusal(_ seed: [UInt8]) -> SenderSeedError? {
        do throws(SenderSeedError) {
            _ = try SenderIdentity(seed: unsafe seed.span.bytes)
            return nil
        } catch {
            return error
        }
    }
}

/// A sender's key file, as a back end writes and reads it.
struct SenderKeyFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("sender.key") }

    init() throws { folder = try TemporaryFolder() }

    @Test func `a key file is written once, and what is there stays`() throws {
        let first = SenderIdentity()
        try first.write(to: path)
        let later = SenderIdentity()
        #expect(refusal { () throws(FileError) in try later.write(to: path) } == .exists(path: path))
        #expect(try SenderIdentity(keyFile: path).publicKey == first.publicKey)
        #expect(try PrivateFolder.names(folder.path, countMax: 10) == ["sender.key"])
        var status = stat()
        try #require(unsafe stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func `a link that leads nowhere is not written through`() throws {
        try #require(unsafe symlink(folder.path("elsewhere"), path) == 0)
        let sender = SenderIdentity()
        #expect(refusal { () throws(FileError) in try sender.write(to: path) } == .exists(path: path))
        #expect(unsafe access(folder.path("elsewhere"), F_OK) != 0)
    }

    @Test func `no folder is no such file, and nothing is written`() throws {
        let path = folder.path("missing/sender.key")
        let sender = SenderIdentity()
        #expect(refusal { () throws(FileError) in try sender.write(to: path) } == .notFound(path: path))
        #expect(try PrivateFolder.names(folder.path, countMax: 10) == [])
    }

    @Test func `a published example key is refused`() throws {
        var random = SeededRandom(seed: 156)
        try SenderIdentity(random: &random).write(to: path, isExample: true)
        let refused = refusal { () throws(FileError) in _ = try SenderIdentity(keyFile: path) }
        #expect(refused == .exampleKey(path: path))
    }

    @Test(arguments: [0o644, 0o600] as [mode_t], ["sender", "identity"])
    func `a public key is no private one, and is called what it is whatever its mode`(_ mode: mode_t, _ role: String)
        throws
    {
        let key = SenderIdentity().publicKey
        let text = role == "sender" ? key.text : try IdentityKey(rawRepresentation: key.rawRepresentation).text
        try WholeFile.write(Array((text + "\n").utf8), to: path, access: .everyone)
        try #require(unsafe chmod(path, mode) == 0)
        let refused = refusal { () throws(FileError) in _ = try SenderIdentity(keyFile: path) }
        #expect(refused == .publicKey(path: path))
    }

    @Test(arguments: [false, true])
    func `the text of a private key is called what it is, a published one too`(_ isExample: Bool) throws {
        var random = SeededRandom(seed: 157)
        try SenderIdentity(random: &random).write(to: path, isExample: isExample)
        let text = String(decoding: try WholeFile.read(path, byteCountMax: 4_096), as: UTF8.self)
        #expect(throws: KeyTextError.privateKey) { try SenderKey(text: text) }
        #expect(throws: KeyTextError.privateKey) { try IdentityKey(text: text) }
    }
}

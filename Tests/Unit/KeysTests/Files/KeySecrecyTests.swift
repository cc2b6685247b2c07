#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
import Envelope
import Platform
import Primitives
import TestSupport
import Testing

@testable import Keys
@testable import Opening

/// No copy of a private key stays in memory: neither its bytes, nor the text in its file.
///
/// The test has the secrets only as complements, drawn anew from the seed byte by byte, so that it does not find
/// itself. Every test has a seed of its own, since others run beside it.
struct KeySecrecyTests {
    @Test func `no secret of a device is in the process once its keys are gone`() throws {
        let secrets = Complements(seed: 170)
        let device = try Self.makeDevice(seed: 170)
        #expect(try secrets.found() == [.identitySeed, .prekey])
        Self.end(device)
        #expect(try secrets.found() == [])
    }

    @Test func `no secret of a key file is in the process once the keys that were read are gone`() throws {
        let secrets = Complements(seed: 171)
        let folder = try TemporaryFolder()
        let path = folder.path("device.key")
        try Self.makeDevice(seed: 171).write(to: path)
        #expect(try secrets.found() == [])
        let device = try DeviceKeys(keyFile: path, exampleKeys: .refused)
        // The file's text is gone as soon as it was read.
        #expect(try secrets.found() == [.identitySeed, .prekey])
        Self.end(device)
        #expect(try secrets.found() == [])
    }

    /// Shows that the search would find the text, and that it goes with the file.
    @Test func `the text of a key file is in the process as long as the file is held`() throws {
        let secrets = Complements(seed: 173)
        let folder = try TemporaryFolder()
        let path = folder.path("device.key")
        try Self.makeDevice(seed: 173).write(to: path)
        let file = try KeyFile(
            path: path,
            format: "sealedpush-device-key-1",
            lineNames: ["topic", "identity", "prekey"],
            exampleKeys: .refused
        )
        #expect(try secrets.found() == [.identityText, .prekeyText])
        Self.end(file)
        #expect(try secrets.found() == [])
    }

    @Test func `a key file that is refused for its last line leaves no secret behind`() throws {
        let secrets = Complements(seed: 172)
        let folder = try TemporaryFolder()
        let path = folder.path("device.key")
        try Self.makeDevice(seed: 172).write(to: path)
        try Self.append("prekey x25519 unlocked short\n", to: path)
        let refusal = refusal { () throws(FileError) in _ = try DeviceKeys(keyFile: path, exampleKeys: .refused) }
        #expect(refusal == .malformed(path: path, expected: "the lines of a key file"))
        #expect(try secrets.found() == [])
    }

    private static func makeDevice(seed: UInt64) throws -> DeviceKeys {
        var random = SeededRandom(seed: 0x4B65_7953_6563_7265 &+ seed)
        return DeviceKeys(topic: try BundleID("com.example.chat"), random: &random)
    }

    /// Ends the life of the keys.
    private static func end(_: consuming some ~Copyable) {}

    /// Appends without a read of the file.
    private static func append(_ line: String, to path: String) throws {
        let file = unsafe fopen(path, "ae")
        let stream = try unsafe #require(file)
        try unsafe #require(fputs(line, stream) >= 0)
        try unsafe #require(fclose(stream) == 0)
    }
}

/// The draws of `DeviceKeys` from a seed, as complements.
private struct Complements {
    enum Secret { case identitySeed, identityText, prekey, prekeyText }

    private let needles: [(secret: Secret, inverted: [UInt8])]

    init(seed: UInt64) {
        var random = SeededRandom(seed: 0x4B65_7953_6563_7265 &+ seed)
        func draw() -> [UInt8] { (0..<32).map { _ in ~UInt8(truncatingIfNeeded: random.next()) } }
        let (identitySeed, prekey) = (draw(), draw())
        // The allocator may write its own links into the first bytes of freed memory: the rest must be gone.
        needles = [
            (.identitySeed, Array(identitySeed.dropFirst(16))),
            (.identityText, Array(Self.text(of: identitySeed).dropFirst(16))),
            (.prekey, Array(prekey.dropFirst(16))),
            (.prekeyText, Array(Self.text(of: prekey).dropFirst(16))),
        ]
    }

    /// Secrets that memory holds. No allocation may overwrite them.
    func found() throws -> [Secret] {
        var found: [Secret] = []
        for (secret, inverted) in needles where try ProcessMemory.contains(inverted: inverted) { found.append(secret) }
        return found
    }

    /// The complement of the base64url of a complement's bytes; neither is ever whole in memory.
    private static func text(of inverted: [UInt8]) -> [UInt8] {
        (0..<43).map { index in
            let bit = index * 6
            let high = UInt16(~inverted[bit / 8]) << 8
            let low = bit / 8 + 1 < inverted.count ? UInt16(~inverted[bit / 8 + 1]) : 0
            return ~Base64URL.character(for: UInt8((high | low) >> (10 - bit % 8) & 0x3F))
        }
    }
}
#endif

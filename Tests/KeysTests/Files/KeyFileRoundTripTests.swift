import Envelope
import Glibc
import Primitives
import TestSupport
import Testing

@testable import Keys
@testable import Opening
@testable import Sealing

/// What is written comes back, and nothing else is in the file.
struct KeyFileRoundTripTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a device's keys come back, signing key and prekeys`() throws {
        let device = try device(seed: 150)
        try device.write(to: folder.path("device.key"))
        let read = try DeviceKeys(keyFile: folder.path("device.key"), exampleKeys: .refused)
        #expect(read.topic == device.topic)
        #expect(read.identity == device.identity)
        #expect(read.bundle(now: BundleBytes.now) == device.bundle(now: BundleBytes.now))
        try read.write(to: folder.path("again.key"))
        #expect(try contents("again.key") == contents("device.key"))
        #expect(try mode("device.key") == 0o600)
    }

    @Test func `a device's keys that were read open what was sealed to those that were written`() throws {
        let device = try device(seed: 151)
        try device.write(to: folder.path("device.key"))
        try device.keyRing.write(to: folder.path("key-ring"))
        var random = SeededRandom(seed: 152)
        let sender = SenderIdentity(random: &random)
        let recipient = try Recipient(
            bundle: device.bundle(now: BundleBytes.now),
            pinnedIdentity: device.identity,
            topic: device.topic,
            withoutPinsAt: BundleBytes.now
        )
        let sealed = try sender.seal(Message(body: "Hello"), for: recipient, sentAt: BundleBytes.now)
        let field = String(decoding: sealed.envelope.sealedField, as: UTF8.self)
        let rings = [
            try DeviceKeys(keyFile: folder.path("device.key"), exampleKeys: .refused).keyRing,
            try KeyRing(file: folder.path("key-ring")),
        ]
        for ring in rings {
            let opener = MessageOpener(keyRing: ring, senders: ContactList(people: [sender.publicKey]))
            guard case .opened(let opened) = opener.open(sealedField: field, now: BundleBytes.now) else {
                Issue.record("not opened")
                continue
            }
            #expect(opened.message.body == "Hello")
        }
    }

    @Test func `an example device key is marked, and loads only when asked for`() throws {
        let path = folder.path("device.key")
        try device(seed: 153).write(to: path, isExample: true)
        #expect(try contents("device.key").starts(with: Array("# SealedPush example key".utf8)))
        let refused = refusal { () throws(FileError) in _ = try DeviceKeys(keyFile: path, exampleKeys: .refused) }
        #expect(refused == .exampleKey(path: path))
        let loaded = refusal { () throws(FileError) in _ = try DeviceKeys(keyFile: path, exampleKeys: .allowed) }
        #expect(loaded == nil)
    }

    @Test func `a sender's identity comes back`() throws {
        var random = SeededRandom(seed: 154)
        let sender = SenderIdentity(random: &random)
        try sender.write(to: folder.path("sender.key"))
        let read = try SenderIdentity(keyFile: folder.path("sender.key"), exampleKeys: .refused)
        #expect(read.publicKey == sender.publicKey)
        #expect(read.key.signature(over: [1]) == sender.key.signature(over: [1]))
        #expect(try mode("sender.key") == 0o600)
    }

    @Test func `an example sender key is marked, and loads only when asked for`() throws {
        var random = SeededRandom(seed: 155)
        let path = folder.path("sender.key")
        try SenderIdentity(random: &random).write(to: path, isExample: true)
        let refused = refusal { () throws(FileError) in _ = try SenderIdentity(keyFile: path, exampleKeys: .refused) }
        #expect(refused == .exampleKey(path: path))
        let loaded = refusal { () throws(FileError) in _ = try SenderIdentity(keyFile: path, exampleKeys: .allowed) }
        #expect(loaded == nil)
    }

    @Test func `a key ring comes back`() throws {
        let ring = try device(seed: 156).keyRing
        try ring.write(to: folder.path("key-ring"))
        let read = try KeyRing(file: folder.path("key-ring"))
        #expect(read.topic == ring.topic)
        #expect(read.identity == ring.identity)
        #expect(read.prekeys.map(\.publicPrekey) == ring.prekeys.map(\.publicPrekey))
        #expect(try mode("key-ring") == 0o600)
    }

    /// The extension reads this file: what is not in it, a fault in the extension cannot give away.
    @Test func `a key ring's file holds the prekeys' secrets and no part of the identity's`() throws {
        let seed = SeededDeviceSecrets(seed: 157)
        try device(seed: 157).keyRing.write(to: folder.path("key-ring"))
        let file = try contents("key-ring")
        #expect(file.contains(Base64URL.encode(seed.prekey)))
        for secret in [seed.identitySeed, Base64URL.encode(seed.identitySeed)] {
            for start in 0...secret.count - 6 { #expect(!file.contains(Array(secret[start..<start + 6]))) }
        }
    }

    @Test func `a key ring is never read from an example file`() throws {
        let text = "# SealedPush example key: published, protects nothing.\nsealedpush-key-ring-1\n"
        let path = try folder.makeFile("key-ring", text)
        let refused = refusal { () throws(FileError) in _ = try KeyRing(file: path) }
        #expect(refused == .exampleKey(path: path))
    }

    @Test func `the published example keys are those of their public halves`() throws {
        let folder = ExampleKeys.folder
        let device = try DeviceKeys(keyFile: folder + "/device.key", exampleKeys: .allowed)
        #expect(try device.identity == IdentityKey(text: ExampleKeys.text("identity.pub")))
        let sender = try SenderIdentity(keyFile: folder + "/sender.key", exampleKeys: .allowed)
        #expect(try sender.publicKey == SenderKey(text: ExampleKeys.text("sender.pub")))
    }

    private func device(seed: UInt64) throws -> DeviceKeys {
        var random = SeededRandom(seed: seed)
        return DeviceKeys(topic: try BundleID("com.example.chat"), random: &random)
    }

    private func contents(_ name: String) throws -> [UInt8] {
        try WholeFile.read(folder.path(name), byteCountMax: 100_000)
    }

    private func mode(_ name: String) throws -> UInt32 {
        var status = stat()
        try #require(unsafe stat(folder.path(name), &status) == 0)
        return status.st_mode & 0o777
    }
}

/// What `DeviceKeys` draws from a seed, in its order.
private struct SeededDeviceSecrets {
    let identitySeed: [UInt8]
    let prekey: [UInt8]

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        identitySeed = random.bytes(count: 32)
        prekey = random.bytes(count: 32)
    }
}

private enum ExampleKeys {
    static let folder = "\(#filePath)".split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/keys-example"

    static func text(_ name: String) throws -> String {
        String(decoding: try WholeFile.read(folder + "/" + name, byteCountMax: 1_000), as: UTF8.self)
    }
}

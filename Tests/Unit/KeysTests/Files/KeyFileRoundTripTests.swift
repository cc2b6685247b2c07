import Envelope
import Platform
import Primitives
import TestSupport
import Testing

@testable import Keys
@testable import Opening
@testable import Sealing

/// Written values come back, and the file holds nothing else.
struct KeyFileRoundTripTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a device's keys come back, signing key and prekeys`() throws {
        let device = try device(seed: 150)
        try device.write(to: folder.path("device.key"))
        let read = try DeviceKeys(keyFile: folder.path("device.key"), exampleKeys: .refused)
        #expect(read.topic == device.topic)
        #expect(read.identity == device.identity)
        // Without the signature, which CryptoKit makes at random.
        #expect(read.bundle(now: BundleBytes.now).dropLast(64) == device.bundle(now: BundleBytes.now).dropLast(64))
        try read.write(to: folder.path("again.key"))
        #expect(try contents("again.key") == contents("device.key"))
        #expect(try mode("device.key") == 0o600)
    }

    @Test func `a device's keys that were read open what was sealed to those that were written`() throws {
        let device = try device(seed: 151)
        try device.write(to: folder.path("device.key"))
        let store = FileSecretStore(folder: folder.path("shared"))
        try device.install(in: store, replayStore: nil, now: BundleBytes.now)
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
            try KeyRing(store: store),
        ]
        for ring in rings {
            let opener = MessageOpener(
                keyRing: ring,
                contacts: ContactList(people: [sender.publicKey]),
                replay: .none
            )
            guard case .opened(let opened) = opener.open(sealedField: field, now: BundleBytes.now).outcome else {
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
        #expect(sender.key.publicKey.isValid(signature: read.key.signature(over: [1]), over: [1]))
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

    /// The extension reads these files: a fault in it cannot leak what they do not hold.
    @Test func `a device's keys that were installed hold the prekeys' secrets and no part of the identity's`() throws {
        let seed = SeededDeviceSecrets(seed: 157)
        let store = FileSecretStore(folder: folder.path("shared"))
        try device(seed: 157).install(in: store, replayStore: nil, now: BundleBytes.now)
        let files = try PrivateFolder.names(folder.path("shared"), countMax: 100)
        #expect(files.count == 2)
        let bytes = try files.flatMap { try contents("shared/" + $0) }
        #expect(bytes.contains(seed.prekey))
        for secret in [seed.identitySeed, Base64URL.encode(seed.identitySeed)] {
            for start in 0...secret.count - 6 { #expect(!bytes.contains(Array(secret[start..<start + 6]))) }
        }
        for file in files { #expect(try mode("shared/" + file) == 0o600) }
        #expect(try mode("shared") == 0o700)
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

/// The draws of `DeviceKeys` from a seed, in its order.
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
    static let folder = "\(#filePath)".split(separator: "/").dropLast(5).map { "/" + $0 }.joined() + "/keys-example"

    static func text(_ name: String) throws -> String {
        String(decoding: try WholeFile.read(folder + "/" + name, byteCountMax: 1_000), as: UTF8.self)
    }
}

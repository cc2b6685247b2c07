import Envelope
import Keys
import Platform
import Primitives
import TestSupport
import Testing

@testable import WebPush

struct WebPushKeysTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `new keys have 65 public bytes, a secret of 16, and differ from the next`() throws {
        var random = SeededRandom(seed: 3)
        let one = try WebPushKeys(random: &random)
        let other = try WebPushKeys(random: &random)
        #expect(one.publicKey.x963Representation.count == 65)
        #expect(one.withAuthenticationSecret { $0.byteCount } == 16)
        #expect(one.publicKey != other.publicKey)
    }

    @Test func `keys that were written are the same when read, in a file that is the owner's alone`() throws {
        let example = try RFC8291Example.load()
        let path = folder.path("webpush.key")
        try example.keys().write(to: path)
        var status = stat()
        #expect(unsafe stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let text = "sealedpush-web-push-key-1\nprivate \(example.ua_private)\nauth \(example.auth_secret)\n"
        #expect(try WholeFile.read(path, byteCountMax: 1_000) == Array(text.utf8))
        let keys = try WebPushKeys(keyFile: path, exampleKeys: .refused)
        let opener = WebPushOpener(keys: keys)
        #expect(try opener.open(field: example.body).body == "When I grow up, I want to be a watermelon")
    }

    @Test func `a published example key loads only when asked for`() throws {
        let path = folder.path("example.key")
        try OtherKeys.make().write(to: path, isExample: true)
        #expect(throws: FileError.exampleKey(path: path)) {
            try WebPushKeys(keyFile: path, exampleKeys: .refused)
        }
        let keys = try WebPushKeys(keyFile: path, exampleKeys: .allowed)
        #expect(keys.publicKey == (try OtherKeys.make().publicKey))
    }

    @Test func `a file that others can read is refused`() throws {
        let path = try folder.makeFile("loose.key", Self.text(), mode: 0o640)
        #expect(throws: FileError.permissionsTooLoose(path: path, mode: 0o640)) {
            try WebPushKeys(keyFile: path, exampleKeys: .refused)
        }
    }

    private static let scalar = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
    private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"

    private static func text(
        format: String = "sealedpush-web-push-key-1",
        lines: [String] = ["private \(scalar)", "auth \(secret)"]
    ) -> String {
        ([format] + lines).map { $0 + "\n" }.joined()
    }

    @Test(
        arguments: [
            text(lines: ["private \(scalar)"]), text(lines: ["auth \(secret)"]), text(lines: []),
            text(lines: ["private \(scalar)", "private \(scalar)", "auth \(secret)"]),
            text(lines: ["private \(scalar)", "auth \(secret)", "auth \(secret)"]),
            text(lines: ["private \(scalar) \(scalar)", "auth \(secret)"]), text(lines: ["private", "auth \(secret)"]),
            text(lines: ["private \(scalar)", "auth \(secret)A"]),
            text(lines: ["private \(scalar)", "auth \(scalar)"]),
            text(lines: ["private \(secret)", "auth \(secret)"]),
            text(lines: ["private \(scalar.dropLast())A", "auth \(secret.dropLast())h"]),
            text(lines: ["private \(String(repeating: "A", count: 43))", "auth \(secret)"]),
            text(lines: ["private __________________________________________8", "auth \(secret)"]),
            text(lines: ["private \(scalar)", "auth \(secret)", "topic com.example.chat"]),
        ]
    )
    func `a file that is not exactly one key and one secret is refused`(_ text: String) throws {
        let path = try folder.makeFile("bad.key", text)
        #expect(throws: FileError.malformed(path: path, expected: "the lines of a key file")) {
            try WebPushKeys(keyFile: path, exampleKeys: .refused)
        }
    }

    @Test func `a file of another kind of key is refused`() throws {
        let path = try folder.makeFile("device.key", Self.text(format: "sealedpush-device-key-1"))
        #expect(throws: FileError.malformed(path: path, expected: "sealedpush-web-push-key-1")) {
            try WebPushKeys(keyFile: path, exampleKeys: .refused)
        }
    }

    #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
    @Test func `no secret of a subscription is in the process once its keys are gone`() throws {
        // Unlike any other test's seed: a test beside this with the same seed has the same secrets in memory.
        let seed: UInt64 = 0x5765_6250_7573_6821
        let secrets = Complements(seed: seed)
        var keys: WebPushKeys? = try OtherKeys.make(seed: seed)
        #expect(try secrets.found() == [.privateKey, .authenticationSecret])
        let path = folder.path("webpush.key")
        try keys?.write(to: path)
        keys = nil
        #expect(try secrets.found() == [])
        keys = try WebPushKeys(keyFile: path, exampleKeys: .refused)
        #expect(try secrets.found() == [.privateKey, .authenticationSecret])
        keys = nil
        #expect(try secrets.found() == [])
    }

    /// The draws of `WebPushKeys` from a seed, as complements, so that the search does not find the test.
    private struct Complements {
        enum Secret { case privateKey, authenticationSecret }

        private let needles: [(secret: Secret, inverted: [UInt8])]

        init(seed: UInt64) {
            var random = SeededRandom(seed: seed)
            func draw(_ count: Int) -> [UInt8] { (0..<count).map { _ in ~UInt8(truncatingIfNeeded: random.next()) } }
            let (privateKey, authenticationSecret) = (draw(32), draw(16))
            // The allocator may write its own links into the first bytes of freed memory.
            needles = [
                (.privateKey, Array(privateKey.dropFirst(16))), (.authenticationSecret, authenticationSecret),
            ]
        }

        func found() throws -> [Secret] {
            var found: [Secret] = []
            for (secret, inverted) in needles where try ProcessMemory.contains(inverted: inverted) {
                found.append(secret)
            }
            return found
        }
    }
    #endif
}

import Primitives
import TestSupport
import Testing

@testable import Keys
@testable import Opening

struct TrustedSendersFileTests {
    private let folder: TemporaryFolder
    private let keys: [SenderKey]

    init() throws {
        folder = try TemporaryFolder()
        var random = SeededRandom(seed: 160)
        keys = (0..<3).map { _ in SenderKey(Ed25519PrivateKey(random: &random).publicKey) }
    }

    @Test(arguments: 0...2)
    func `senders come back, and no others`(_ count: Int) throws {
        let path = folder.path("senders")
        try TrustedSenders(keys.prefix(count)).write(to: path)
        let read = try TrustedSenders(file: path)
        #expect(keys.map(read.contains) == keys.indices.map { $0 < count })
    }

    @Test func `the file is the same whatever the senders' order`() throws {
        try TrustedSenders(keys).write(to: folder.path("one"))
        try TrustedSenders(keys.reversed()).write(to: folder.path("other"))
        let one = try WholeFile.read(folder.path("one"), byteCountMax: 1_000)
        #expect(try WholeFile.read(folder.path("other"), byteCountMax: 1_000) == one)
        #expect(String(decoding: one, as: UTF8.self) == keys.map { $0.text + "\n" }.sorted().joined())
    }

    @Test func `comments, empty lines and any line ends are passed over`() throws {
        let text = "# ours\r\n\r\n \(keys[0].text) \r\n\n#\n\(keys[1].text)"
        let read = try TrustedSenders(file: folder.makeFile("senders", text))
        #expect(keys.map(read.contains) == [true, true, false])
    }

    @Test func `one bad line refuses the whole file`() throws {
        let (good, identity) = (keys[0].text, IdentityKey(keys[1].key).text)
        for line in ["x", identity, String(good.dropLast()), good + " " + good, good + "A"] {
            let path = try folder.makeFile("senders", "\(good)\n\(line)\n")
            let expected = FileError.malformed(path: path, expected: "a line 'sealedpush-sender-1:…' for each sender")
            #expect(throws: expected) { try TrustedSenders(file: path) }
        }
    }

    @Test func `a file of more than 1 MiB is too large`() throws {
        let path = try folder.makeFile("senders", String(repeating: "#\n", count: 1 << 19) + "#")
        #expect(throws: FileError.tooLarge(path: path, byteCountMax: 1 << 20)) { try TrustedSenders(file: path) }
    }
}

import Foundation
import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening

struct ContactListFileTests {
    private let folder: TemporaryFolder
    private let keys: [SenderKey]

    init() throws {
        folder = try TemporaryFolder()
        var random = SeededRandom(seed: 620)
        keys = (0..<3).map { _ in SenderKey(Ed25519PrivateKey(random: &random).publicKey) }
    }

    private var path: String { folder.path("senders") }

    @Test func `the file is laid as its format says`() throws {
        var list = ContactList(unknownSenders: .refuse)
        try list.add(Contact(key: keys[0], role: .service, name: "Acme  Chat, Inc.", rights: [.links, .call]))
        try list.add(Contact(key: keys[1], rights: [.critical, .timeSensitive]))
        try list.add(Contact(key: keys[2], name: "-"))
        try list.save(to: path)
        let lines = [
            "\(keys[0].text) service call,links Acme  Chat, Inc.", "\(keys[1].text) person critical,time-sensitive",
            "\(keys[2].text) person - -",
        ]
        let expected = "sealedpush-contacts-1\nunknown-senders refuse\n" + lines.sorted().joined(separator: "\n") + "\n"
        #expect(try String(contentsOfFile: path, encoding: .utf8) == expected)
        #expect(try ContactList(contentsOf: path) == list)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try folder.names() == ["senders"])
    }

    @Test func `random lists come back as they were`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        for _ in 0..<30 {
            let list = try ContactList.random(using: &random)
            try list.save(to: path)
            #expect(try ContactList(contentsOf: path) == list, "seed \(seed)")
        }
    }

    @Test(arguments: 0...3)
    func `a file with one sender key a line is read: people without rights`(_ count: Int) throws {
        let path = try folder.makeFile("senders", keys.prefix(count).map { $0.text + "\n" }.joined())
        let list = try ContactList(contentsOf: path)
        #expect(list == ContactList(people: keys.prefix(count)))
        for key in keys.prefix(count) { #expect(list.contact(for: key) == Contact(person: key)) }
        #expect(list.count == count)
    }

    @Test func `comments, empty lines, line ends and a key twice are passed over among keys`() throws {
        let text = "# ours\r\n\r\n \(keys[0].text) \r\n\n#\n\(keys[1].text)\n\(keys[0].text)"
        #expect(try ContactList(contentsOf: folder.makeFile("senders", text)) == ContactList(people: keys.prefix(2)))
    }

    @Test func `comments and empty lines are passed over among contacts`() throws {
        let text =
            "# by hand\n\nsealedpush-contacts-1\r\n#\nunknown-senders placeholder\n\n\(keys[0].text) person - Ada\n#"
        var expected = ContactList()
        try expected.add(Contact(key: keys[0], name: "Ada"))
        #expect(try ContactList(contentsOf: folder.makeFile("senders", text)) == expected)
    }

    @Test func `one bad line refuses the whole list of keys`() throws {
        let (good, identity) = (keys[0].text, IdentityKey(keys[1].key).text)
        let bad = [
            "x", identity, String(good.dropLast()), good + " " + good, good + "A", good + " person -", "\u{A0}" + good,
            "sealedpush-contacts-1", "unknown-senders refuse",
        ]
        for line in bad { try expectMalformed("\(good)\n\(line)\n", because: line) }
    }

    @Test func `one bad line refuses the whole list of contacts (protocol v1, rule 10)`() throws {
        let (good, key) = ("\(keys[0].text) person - Ada", keys[1].text)
        let bad = [
            key, key + " person", key + " person ", key + " Person -", key + " admin -", key + "  person -",
            key + " person  Ada", key + " person call,call", key + " person links,call", key + " person call,",
            key + " person ,call", key + " person -,call", key + " person all", key + " person call;links",
            key + " person - A\u{7}", key + " person - " + String(repeating: "x", count: 129),
            key + " person -  Ada", good, "\(keys[0].text) service call", key + "A person -",
            IdentityKey(keys[1].key).text + " person -", "unknown-senders refuse", "sealedpush-contacts-1", "x",
        ]
        for line in bad {
            try expectMalformed("sealedpush-contacts-1\nunknown-senders refuse\n\(good)\n\(line)\n", because: line)
        }
        // The same without the bad line is read.
        let text = "sealedpush-contacts-1\nunknown-senders refuse\n\(good)\n"
        #expect(try ContactList(contentsOf: folder.makeFile("senders", text)).count == 1)
    }

    @Test(arguments: [
        "", "unknown-senders", "unknown-senders show", "unknown-senders  refuse", "unknown-senders refuse x",
    ])
    func `a list of contacts says first what becomes of strangers`(_ line: String) throws {
        try expectMalformed("sealedpush-contacts-1\n\(line)\n\(keys[0].text) person -\n", because: line)
    }

    @Test func `an unusable key is no contact (protocol v1, rule 7; abuse case 30)`() throws {
        let smallOrder = "sealedpush-sender-1:AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        try expectMalformed("\(smallOrder)\n", because: "small order")
        try expectMalformed(
            "sealedpush-contacts-1\nunknown-senders refuse\n\(smallOrder) person -\n",
            because: "small order"
        )
    }

    @Test func `a name that is no UTF-8 is refused`() throws {
        let head = Array("sealedpush-contacts-1\nunknown-senders refuse\n\(keys[0].text) person - ".utf8)
        try Data(head + [0x41, 0xFF, 0x0A]).write(to: URL(fileURLWithPath: path))
        #expect(throws: ContactListError.malformed) { try ContactList(contentsOf: path) }
    }

    @Test func `bytes of any kind are read or refused, and never trap`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let good = Array("sealedpush-contacts-1\nunknown-senders refuse\n\(keys[0].text) person call Ada\n".utf8)
        var refusedCount = 0
        for _ in 0..<500 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8(truncatingIfNeeded: random.next())
            }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            do {
                #expect(try ContactList(contentsOf: path).count <= 1, "seed \(seed)")
            } catch {
                refusedCount += 1
            }
        }
        #expect(refusedCount > 250, "seed \(seed)")
    }

    @Test func `a file of more than 1 MiB is too large, and one of 4,096 contacts is not`() throws {
        let path = try folder.makeFile("senders", String(repeating: "#\n", count: 1 << 19) + "#")
        #expect(throws: FileError.tooLarge(path: path, byteCountMax: 1 << 20)) { try ContactList(file: path) }
        var random = SeededRandom(seed: 621)
        var list = ContactList()
        let name = String(repeating: "x", count: 128)
        for _ in 0..<4_096 {
            let key = SenderKey(Ed25519PrivateKey(random: &random).publicKey)
            let rights: ContactRights = [.call, .critical, .timeSensitive, .links]
            try list.add(Contact(key: key, role: .service, name: name, rights: rights))
        }
        try list.save(to: path)
        #expect(try ContactList(contentsOf: path) == list)
    }

    @Test func `a missing file is told from a bad one`() {
        #expect(throws: ContactListError.notFound) { try ContactList(contentsOf: folder.path("nowhere")) }
        #expect(throws: ContactListError.system(call: "read", code: EISDIR)) {
            try ContactList(contentsOf: folder.path)
        }
    }

    private func expectMalformed(_ text: String, because line: String) throws {
        let path = try folder.makeFile("senders", text)
        let expected = FileError.malformed(path: path, expected: "a line 'sealedpush-sender-1:…' for each sender")
        #expect(throws: expected, "\(line)") { try ContactList(file: path) }
        #expect(throws: ContactListError.malformed) { try ContactList(contentsOf: path) }
    }
}

extension ContactList {
    fileprivate static func random(using random: inout SeededRandom) throws -> ContactList {
        var list = ContactList(unknownSenders: Bool.random(using: &random) ? .placeholder : .refuse)
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            let letters = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                ["A", "é", "🍜", " ", "-", ",", "#", ":"].randomElement(using: &random) ?? ""
            }
            let name = ["x" + letters.joined() + "x", nil].randomElement(using: &random) ?? nil
            try list.add(
                Contact(
                    key: SenderKey(Ed25519PrivateKey(random: &random).publicKey),
                    role: Bool.random(using: &random) ? .person : .service,
                    name: name,
                    rights: ContactRights(rawValue: UInt8(truncatingIfNeeded: random.next()))
                )
            )
        }
        return list
    }
}

import Keys
import Sealing
import TestSupport
import Testing

@testable import Opening

/// A sender looked up in the file, which is the same as in the whole list.
struct ContactDirectoryTests {
    private static let keys = (0..<40).map { seed in
        var random = SeededRandom(seed: UInt64(seed))
        return SenderIdentity(random: &random).publicKey
    }

    private func directory(_ text: String) throws -> ContactDirectory {
        try ContactDirectory(encoded: Array(text.utf8))
    }

    private func line(_ index: Int, _ rest: String) -> String { "\(Self.keys[index].text) \(rest)\n" }

    @Test(arguments: UnknownSenderPolicy.allCases)
    func `everybody on the list is found as the list has them, and nobody else`(_ policy: UnknownSenderPolicy) throws {
        var list = ContactList(unknownSenders: policy)
        for (index, key) in Self.keys.enumerated() where index % 2 == 0 {
            let rights = ContactRights(rawValue: UInt8(index % 16))
            let name = index % 3 == 0 ? nil : "Name \(index) ä"
            try list.add(Contact(key: key, role: index % 4 == 0 ? .person : .service, name: name, rights: rights))
        }
        let directory = try ContactDirectory(encoded: list.encoded)
        #expect(directory.unknownSenders == policy)
        for key in Self.keys { #expect(try directory.contact(for: key) == list.contact(for: key)) }
    }

    @Test func `comments, white space and the last line without an end are read alike`() throws {
        let text =
            "# a\n\n sealedpush-contacts-1\r\n#b\nunknown-senders refuse \n\n \t\(line(0, "person -"))#\(line(1, "person -"))"
            + "\(Self.keys[2].text) service links Acme  Chat \t"
        let list = try ContactList(encoded: Array(text.utf8))
        for key in Self.keys { #expect(try directory(text).contact(for: key) == list.contact(for: key)) }
        #expect(list.count == 2)
    }

    @Test func `a list of keys alone is people without names`() throws {
        let text = Self.keys[..<3].map(\.text).joined(separator: "\n") + "\n" + Self.keys[0].text
        #expect(try directory(text).contact(for: Self.keys[0]) == Contact(person: Self.keys[0]))
        #expect(try directory(text).contact(for: Self.keys[3]) == nil)
        #expect(try directory("").contact(for: Self.keys[0]) == nil)
        #expect(throws: ContactListError.malformed) {
            try directory(line(0, "person -")).contact(for: Self.keys[0])
        }
    }

    @Test(arguments: ["rubbish", "person", "person - \u{1}", "stranger -", "person call,call", "person  -"])
    func `a bad line for a sender is no contact, and no stranger either`(_ rest: String) throws {
        let text = "sealedpush-contacts-1\nunknown-senders placeholder\n" + line(0, rest)
        #expect(throws: (any Error).self) { try directory(text).contact(for: Self.keys[0]) }
        #expect(throws: ContactListError.self) { try ContactList(encoded: Array(text.utf8)) }
    }

    @Test func `two lines for one sender, and a line that is no contact's, spoil the list`() throws {
        let head = "sealedpush-contacts-1\nunknown-senders placeholder\n"
        #expect(throws: ContactListError.malformed) {
            try directory(head + line(0, "person -") + line(0, "service call")).contact(for: Self.keys[0])
        }
        for key in [0, 1] {
            #expect(throws: ContactListError.malformed) {
                try directory(head + line(0, "person -") + "rubbish\n").contact(for: Self.keys[key])
            }
        }
        #expect(throws: ContactListError.malformed) { try directory("sealedpush-contacts-1\n") }
        #expect(throws: ContactListError.malformed) { try directory("sealedpush-contacts-1\nunknown-senders maybe\n") }
    }

    @Test func `whatever is done to the file, what the list reads the directory reads alike`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        var list = ContactList()
        for key in Self.keys[..<5] {
            try list.add(Contact(key: key, role: .service, name: "A b", rights: [.call, .links]))
        }
        for _ in 0..<400 {
            var bytes = list.encoded
            for _ in 0..<2 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    "\n #-azA1\u{1}".utf8.randomElement(using: &random) ?? 0
            }
            // The lookup does not check other senders' lines, for which the list may be refused.
            guard let read = try? ContactList(encoded: bytes) else { continue }
            for key in Self.keys[..<6] {
                #expect(
                    try ContactDirectory(encoded: bytes).contact(for: key) == read.contact(for: key),
                    "seed \(seed)"
                )
            }
        }
    }
}

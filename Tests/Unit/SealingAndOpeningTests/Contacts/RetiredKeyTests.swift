import Envelope
import Keys
import Primitives
import Sealing
import TestSupport
import Testing

@testable import Opening

/// Retired keys, in the contact list and in its file.
struct RetiredKeyTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let keys = (0..<6).map { seed in
        var random = SeededRandom(seed: 420 + UInt64(seed))
        return SenderIdentity(random: &random).publicKey
    }
    private static let head = "sealedpush-contacts-1\nunknown-senders placeholder\n"

    private var keys: [SenderKey] { Self.keys }

    @Test func `the file has what was given up, and is read by list and directory alike`() throws {
        var list = ContactList(people: [keys[0], keys[3]])
        _ = try list.take(succession(0, 1))
        _ = try list.take(succession(1, 2))
        _ = try list.take(revocation(3))
        let read = try ContactList(encoded: list.encoded)
        #expect(read == list)
        let directory = try ContactDirectory(encoded: list.encoded)
        for key in keys { #expect(try directory.entry(for: key) == list.entry(for: key)) }
        for index in 0...2 { #expect(try directory.sender(keys[index])?.contact.key == keys[index]) }
        for index in 3...5 { #expect(try directory.sender(keys[index]) == nil) }
        #expect(list.contacts.map(\.key) == [keys[2]])
    }

    @Test(arguments: [
        "superseded", "superseded 1", "superseded 1 -", "superseded 01 KEY", "superseded -1 KEY", "superseded +1 KEY",
        "superseded 9007199254740992 KEY", "superseded 1  KEY", "superseded 1 KEY KEY", "revoked", "revoked ",
        "revoked x",
        "revoked 1 KEY", "revoked 1.0", "revoked 18446744073709551616", "Revoked 1",
    ])
    func `a bad line of a key that was given up spoils the list`(_ rest: String) throws {
        let good = Self.head + keys[0].text + " superseded 1 " + keys[1].text + "\n"
        #expect(try ContactList(encoded: Array(good.utf8)).count == 0)
        let text = Self.head + keys[0].text + " " + rest.replacing("KEY", with: keys[1].text) + "\n"
        #expect(throws: ContactListError.malformed) { try ContactList(encoded: Array(text.utf8)) }
        #expect(throws: ContactListError.malformed) {
            try ContactDirectory(encoded: Array(text.utf8)).entry(for: keys[0])
        }
    }

    @Test func `a key is a contact or given up, and not both`() throws {
        for lines in [["person -", "revoked 1"], ["revoked 1", "person -"], ["revoked 1", "revoked 1"]] {
            let text = Self.head + lines.map { keys[0].text + " " + $0 + "\n" }.joined()
            #expect(throws: ContactListError.present) { try ContactList(encoded: Array(text.utf8)) }
            #expect(throws: ContactListError.malformed) {
                try ContactDirectory(encoded: Array(text.utf8)).entry(for: keys[0])
            }
        }
    }

    @Test func `a chain that a file leads in a circle ends`() throws {
        let text =
            Self.head + "\(keys[0].text) superseded 1 \(keys[1].text)\n\(keys[1].text) superseded 1 \(keys[0].text)\n"
        #expect(try ContactDirectory(encoded: Array(text.utf8)).sender(keys[0]) == nil)
    }

    @Test func `of too many the oldest are forgotten, and the file never grows beyond what is read`() throws {
        var list = ContactList()
        let rights: ContactRights = [.call, .critical, .timeSensitive, .links]
        let name = String(repeating: "x", count: Contact.nameByteCountMax)
        for _ in 0..<ContactList.contactCountMax {
            try list.add(Contact(key: SenderIdentity().publicKey, role: .service, name: name, rights: rights))
        }
        let known = list.contacts.map(\.key)
        for index in 0...ContactList.retiredCountMax {
            let date = Timestamp(milliseconds: Timestamp.millisecondsMax - UInt64(ContactList.retiredCountMax - index))
            _ = try list.take(Self.announcement(of: known[index], by: SenderIdentity().publicKey, at: date))
        }
        #expect(list.entry(for: known[0]) == nil)
        #expect(list.entry(for: known[1]) != nil)
        #expect(list.count == ContactList.contactCountMax)
        #expect(list.encoded.count <= ContactList.byteCountMax)
        #expect(try ContactList(encoded: list.encoded) == list)
    }

    @Test func `a successor that is a contact already keeps its own rights`() throws {
        var list = ContactList(people: [keys[0]])
        try list.add(Contact(key: keys[1], role: .service, name: "Own", rights: .links))
        _ = try list.take(succession(0, 1))
        #expect(list.contacts.map(\.name) == ["Own"])
    }

    private func succession(_ old: Int, _ new: Int) -> SenderAnnouncement {
        Self.announcement(of: keys[old], by: keys[new], at: Self.now)
    }

    private func revocation(_ key: Int) -> SenderAnnouncement {
        Self.announcement(of: keys[key], by: nil, at: Self.now)
    }

    private static func announcement(of key: SenderKey, by successor: SenderKey?, at date: Timestamp)
        -> SenderAnnouncement
    {
        SenderAnnouncement(sender: key, successor: successor, announcedAt: date)
    }
}

import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening

struct ContactTests {
    private let key: SenderKey

    init() {
        var random = SeededRandom(seed: 600)
        key = SenderKey(Ed25519PrivateKey(random: &random).publicKey)
    }

    @Test func `a person's name comes from the list, never from a message (protocol v1, rule 22)`() throws {
        let person = try Contact(key: key, name: "Ada")
        #expect(person.displayName(claimed: "Your bank") == "Ada")
        #expect(person.displayName(claimed: nil) == "Ada")
        #expect(try Contact(key: key).displayName(claimed: "Your bank") == nil)
        #expect(!person.maySetSenderName)
    }

    @Test func `only a service says whom a message is from (protocol v1, rule 22)`() throws {
        let service = try Contact(key: key, role: .service, name: "Acme")
        #expect(service.displayName(claimed: "Ada") == "Ada")
        #expect(service.displayName(claimed: "") == "Acme")
        #expect(service.displayName(claimed: nil) == "Acme")
        #expect(service.maySetSenderName)
    }

    @Test func `only a service sets the badge (protocol v1, rule 29)`() throws {
        #expect(try Contact(key: key, role: .service).maySetBadge)
        #expect(try !Contact(key: key, role: .person, rights: [.call, .critical, .timeSensitive, .links]).maySetBadge)
    }

    @Test(arguments: Contact.Role.allCases)
    func `nobody may call, break through or link unless the app says so (protocol v1, rule 29, rule 30)`(
        _ role: Contact.Role
    ) throws {
        let contact = try Contact(key: key, role: role)
        for right: ContactRights in [.call, .critical, .timeSensitive, .links] {
            #expect(!contact.rights.contains(right))
            // Each right is one alone, and brings no other.
            #expect(try Contact(key: key, role: role, rights: right).rights == right)
        }
        #expect(Contact(person: key).rights == [])
        #expect(Contact(person: key).role == .person)
    }

    @Test func `bits that are no right are dropped`() {
        #expect(ContactRights(rawValue: 0xF0) == [])
        #expect(ContactRights(rawValue: 0xFF) == [.call, .critical, .timeSensitive, .links])
    }

    @Test(arguments: ["A", "Ada Lovelace", "Åda · ✓", "👩‍👩‍👧‍👦", "-", String(repeating: "x", count: 128)])
    func `a name of 1 to 128 bytes is taken`(_ name: String) throws {
        #expect(try Contact(key: key, name: name).name == name)
    }

    @Test(arguments: [
        "", " ", " Ada", "Ada ", "A\nB", "A\u{0}B", "A\tB", "A\u{7F}", "A\u{85}B", "A\u{2028}B", "A\u{2029}", "\r\n",
        String(repeating: "x", count: 129), String(repeating: "é", count: 65),
    ])
    func `a name that is none, too long or holds a control character is refused`(_ name: String) {
        #expect(throws: ContactListError.name) { try Contact(key: key, name: name) }
    }

    @Test(arguments: [
        ("A\u{202E}da", "Ada"), ("Ada\u{2066}", "Ada"), ("A\u{200B}d\u{AD}a", "Ada"), ("Ada \u{200B}", "Ada"),
        ("\u{200B} Ada", "Ada"), ("\u{301}Ada", "Ada"), ("Ada\u{E0041}", "Ada"),
        ("Z\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}", "Z\u{301}\u{302}\u{303}\u{304}"),
    ])
    func `what turns, hides or stacks in a name is taken out when it is stored (abuse case 20)`(
        _ name: String,
        _ stored: String
    ) throws {
        let contact = try Contact(key: key, name: name)
        #expect(contact.name.map { Array($0.unicodeScalars) } == Array(stored.unicodeScalars))
        var list = ContactList()
        try list.add(contact)
        #expect(try ContactList(encoded: list.encoded).contact(for: key) == contact)
        // A file that another program wrote, or an earlier version.
        let line = "\(ContactList.format)\nunknown-senders refuse\n\(key.text) person - \(name)\n"
        guard name.first != " ", name.last != " " else { return }
        #expect(try ContactList(encoded: Array(line.utf8)).contact(for: key) == contact)
        #expect(try ContactDirectory(encoded: Array(line.utf8)).contact(for: key) == contact)
    }

    @Test(arguments: ["\u{200B}", "\u{202E}\u{202C}", "\u{301}", "\u{2800}"])
    func `a name of which nothing can be seen is none (abuse case 20)`(_ name: String) {
        #expect(throws: ContactListError.name) { try Contact(key: key, name: name) }
    }
}

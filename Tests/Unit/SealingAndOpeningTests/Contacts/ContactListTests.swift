import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening

struct ContactListTests {
    private let keys: [SenderKey]

    init() {
        var random = SeededRandom(seed: 610)
        keys = (0..<3).map { _ in SenderKey(Ed25519PrivateKey(random: &random).publicKey) }
    }

    @Test func `a new list knows nobody and shows strangers' words to nobody`() {
        let list = ContactList()
        #expect(list.count == 0)
        #expect(list.contacts.isEmpty)
        #expect(keys.allSatisfy { list.contact(for: $0) == nil })
        #expect(list.unknownSenders == .placeholder)
    }

    @Test func `a contact is found by exactly its key, and goes when it is removed`() throws {
        var list = ContactList()
        let ada = try Contact(key: keys[0], role: .service, name: "Ada", rights: [.call])
        try list.add(ada)
        try list.add(Contact(key: keys[1], name: "Ada"))
        #expect(list.contact(for: keys[0]) == ada)
        #expect(list.contact(for: keys[2]) == nil)
        #expect(list.remove(keys[0]) == ada)
        #expect(list.remove(keys[0]) == nil)
        #expect(list.contact(for: keys[0]) == nil)
        #expect(list.count == 1)
    }

    @Test func `rights change only by an update of somebody who is there (protocol v1, rule 12)`() throws {
        var list = ContactList()
        let person = try Contact(key: keys[0], name: "Ada")
        let service = try Contact(key: keys[0], role: .service, name: "Ada", rights: [.call])
        try list.add(person)
        #expect(throws: ContactListError.present) { try list.add(service) }
        #expect(list.contact(for: keys[0]) == person)
        try list.update(service)
        #expect(list.contact(for: keys[0]) == service)
        // A changed key is a stranger's, however equal the name.
        let changed = try Contact(key: keys[1], role: .service, name: "Ada", rights: [.call])
        #expect(throws: ContactListError.absent) { try list.update(changed) }
        #expect(list.contact(for: keys[1]) == nil)
    }

    @Test func `a list takes 4,096 contacts and no more`() throws {
        var random = SeededRandom(seed: 611)
        var list = ContactList()
        for _ in 0..<4_096 { try list.add(Contact(key: Self.key(&random))) }
        let one = try Contact(key: Self.key(&random))
        #expect(throws: ContactListError.full(contactCountMax: 4_096)) { try list.add(one) }
        #expect(list.count == 4_096)
        list.remove(list.contacts[0].key)
        try list.add(one)
        #expect(list.contact(for: one.key) == one)
    }

    @Test func `contacts come in one order, whoever was added first`() throws {
        let one = ContactList(people: keys)
        let other = ContactList(people: keys.reversed() + keys)
        #expect(one == other)
        #expect(one.contacts.map(\.key.text) == keys.map(\.text).sorted())
        #expect(one.contacts == other.contacts)
    }

    private static func key(_ random: inout SeededRandom) -> SenderKey {
        SenderKey(Ed25519PrivateKey(random: &random).publicKey)
    }
}

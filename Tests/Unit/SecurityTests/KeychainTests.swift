import Foundation
import Platform
import Testing

@testable import Security

/// The keychain without its functions: its file, and the groups of a process.
struct KeychainTests {
    private let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).keychain"

    @Test func `app and extension share what is in a file`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Keychain(path: path).change { items throws(KeychainError) in items.append(item(group: "g")) }
        #expect(try Keychain(path: path).items() == [item(group: "g")])
    }

    @Test func `a file that is no keychain is damaged, and stays as it is`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        for text in ["", "x", "<plist></plist>", "(a, b)", "({ agrp = g; })"] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: KeychainError(status: errSecDecode)) { try Keychain(path: path).items() }
            #expect(FileManager.default.contents(atPath: path) == Data(text.utf8))
        }
    }

    @Test func `a folder that is not there takes no items`() {
        let keychain = Keychain(path: "/no-such-folder/keychain")
        #expect(throws: KeychainError(status: errSecNotAvailable)) {
            try keychain.change { items throws(KeychainError) in items.append(item(group: "g")) }
        }
    }

    @Test func `a process outside a group can neither add to it nor find what is in it`() throws {
        let rules = KeychainRules(lock: .unlocked, groups: ["TEAM.app", "TEAM.shared"])
        var items = [item(group: "TEAM.other"), item(group: "TEAM.shared")]
        let all = try KeychainQuery(
            [kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll],
            rules: rules
        )
        #expect(try all.find(in: items) == [item(group: "TEAM.shared")])
        let other: [String: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccessGroup: "TEAM.other"]
        #expect(throws: KeychainError(status: errSecItemNotFound)) {
            try KeychainQuery(other, rules: rules).find(in: items)
        }
        #expect(throws: KeychainError(status: errSecMissingEntitlement)) {
            try KeychainQuery(other, rules: rules).add(to: &items)
        }
        #expect(
            try KeychainQuery([kSecClass: kSecClassGenericPassword], rules: rules).add(to: &items).group == "TEAM.app"
        )
    }

    private func item(group: String) -> KeychainItem {
        var item = KeychainItem(group: group)
        item.attributes[kSecAttrAccount] = .text("a")
        item.attributes[kSecAttrGeneric] = .bytes(Data([1]))
        item.attributes[kSecAttrType] = .number(7)
        item.secret = Data([2])
        return item
    }
}

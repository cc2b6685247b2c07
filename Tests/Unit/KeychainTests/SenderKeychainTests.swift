import Envelope
import Foundation
import Keys
import Platform
import Primitives
import Sealing
import Security
import Testing

/// A sender's key in the keychain: the calls of a phone, against the stand-in.
struct SenderKeychainTests {
    /// One keychain serves the whole process: each test has a group of its own.
    private let group = "TEAM." + UUID().uuidString

    @Test func `a sender's key comes back, is replaced, and is gone when removed`() throws {
        #expect(error() == .notFound)
        let first = SenderIdentity()
        try first.save(toKeychain: group)
        #expect(try SenderIdentity(keychainGroup: group).publicKey == first.publicKey)
        let second = SenderIdentity()
        try second.save(toKeychain: group)
        #expect(try SenderIdentity(keychainGroup: group).publicKey == second.publicKey)
        try SenderIdentity.remove(fromKeychain: group)
        try SenderIdentity.remove(fromKeychain: group)
        #expect(error() == .notFound)
    }

    @Test func `a sender's key is locked before the first unlock, and then no more`() throws {
        try SenderIdentity().save(toKeychain: group)
        #expect(on(.beforeFirstUnlock) { error() } == .locked)
        #expect(on(.locked) { error() } == nil)
    }

    @Test(arguments: [0, 31, 33])
    func `an item that is no seed is damaged`(_ byteCount: Int) throws {
        try SenderIdentity().save(toKeychain: group)
        let query: [String: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccessGroup: group, kSecUseDataProtectionKeychain: true,
        ]
        #expect(SecItemUpdate(query, [kSecValueData: Data(repeating: 7, count: byteCount)]) == errSecSuccess)
        #expect(error() == .damaged)
    }

    @Test func `a device's keys in the same group are no sender's`() throws {
        let store = KeychainSecretStore(service: "SealedPush", accessGroup: group)
        let record = SecretBytes(byteCount: 32) { $0.storeBytes(of: 1, toByteOffset: 0, as: UInt8.self) }
        try record.withBytes { bytes throws(SecretStoreError) in
            try store.write(bytes, to: .identity, protection: .afterFirstUnlock)
        }
        #expect(error() == .notFound)
        try SenderIdentity().save(toKeychain: group)
        #expect(try store.names() == [.identity])
    }

    private func error() -> SecretStoreError? {
        do throws(SecretStoreError) {
            _ = try SenderIdentity(keychainGroup: group)
            return nil
        } catch {
            return error
        }
    }
}

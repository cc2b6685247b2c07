// Not `canImport(Security)`: on Linux this package builds a stand-in of that name, for extensions under test. KeychainTests
// compiles this file against it.
#if canImport(Darwin) || KEYCHAIN_STAND_IN
package import Envelope
import Foundation
#if KEYCHAIN_STAND_IN
@testable package import Keys
#endif
package import Primitives
import Security

/// Secret records as generic passwords of the data protection keychain: one item each, never synchronized, never in a
/// backup of another device.
///
/// The app gives its identity's store an access group that the extension is not in; that is the extension's whole view.
/// (Apple, "Restricting keychain item accessibility", "Sharing access to keychain items among a collection of apps".)
package struct KeychainSecretStore: SecretStore {
    /// kSecAttrService: all records of one store.
    private let service: String
    private let accessGroup: String

    package init(service: String, accessGroup: String) {
        self.service = service
        self.accessGroup = accessGroup
    }

    package func read(_ name: RecordName) throws(SecretStoreError) -> SecretBytes {
        var query = query(name)
        query[kSecReturnData] = true
        query[kSecMatchLimit] = kSecMatchLimitOne
        var result: CFTypeRef?
        try Self.check(unsafe SecItemCopyMatching(query as CFDictionary, &result), "SecItemCopyMatching")
        guard let data = result as? Data, !data.isEmpty else { throw .damaged }
        // The Keychain's own copy is its to free; nothing of ours lies outside guarded memory.
        return SecretBytes(byteCount: data.count, storage: .guarded) { record in
            unsafe data.withUnsafeBytes { source in
                unsafe record.withUnsafeMutableBytes { target in unsafe target.copyMemory(from: source) }
            }
        }
    }

    package func write(
        _ record: RawSpan,
        to name: RecordName,
        protection: ProtectionClass
    ) throws(SecretStoreError) {
        let status = unsafe record.withUnsafeBytes { bytes in
            // Lent, not copied: the data does not outlive this closure, and frees nothing.
            let data = unsafe CFDataCreateWithBytesNoCopy(
                nil,
                bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
                bytes.count,
                kCFAllocatorNull
            )
            let values: [CFString: Any?] = [
                kSecValueData: data,
                kSecAttrAccessible: Self.accessibility(protection),
            ]
            let item = query(name).merging(values.compactMapValues(\.self)) { $1 }
            let added = SecItemAdd(item as CFDictionary, nil)
            guard added == SecretStoreError.keychainDuplicate else { return (code: added, call: "SecItemAdd") }
            let updated = SecItemUpdate(query(name) as CFDictionary, values.compactMapValues(\.self) as CFDictionary)
            return (code: updated, call: "SecItemUpdate")
        }
        try Self.check(status.code, status.call)
    }

    package func delete(_ name: RecordName) throws(SecretStoreError) {
        do throws(SecretStoreError) {
            try Self.check(SecItemDelete(query(name) as CFDictionary), "SecItemDelete")
        } catch {
            guard error == .notFound else { throw error }
        }
    }

    package func names() throws(SecretStoreError) -> [RecordName] {
        var query = query(nil)
        query[kSecReturnAttributes] = true
        query[kSecMatchLimit] = kSecMatchLimitAll
        var result: CFTypeRef?
        do throws(SecretStoreError) {
            try Self.check(unsafe SecItemCopyMatching(query as CFDictionary, &result), "SecItemCopyMatching")
        } catch {
            guard error == .notFound else { throw error }
            return []
        }
        guard let items = result as? [[String: Any]] else { throw .damaged }
        return items.compactMap { ($0[kSecAttrAccount as String] as? String).flatMap { RecordName($0) } }
    }

    /// The Keychain's writes are whole by themselves.
    package func removeRemains() throws(SecretStoreError) {}

    private func query(_ name: RecordName?) -> [CFString: Any] {
        var query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecUseDataProtectionKeychain: true,
            kSecAttrSynchronizable: false,
            kSecAttrAccessGroup: accessGroup,
            kSecAttrService: service,
        ]
        if let name { query[kSecAttrAccount] = name.description }
        return query
    }

    private static func accessibility(_ protection: ProtectionClass) -> CFString {
        switch protection {
        case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        case .unlocked: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        }
    }

    private static func check(_ status: OSStatus, _ call: String) throws(SecretStoreError) {
        guard status == errSecSuccess else { throw SecretStoreError(keychainStatus: status, call: call) }
    }
}
#endif

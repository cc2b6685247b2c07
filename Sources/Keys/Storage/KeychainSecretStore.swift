// Not `canImport(Security)`: on Linux this package has a stand-in of that name. KeychainTests compiles this file with
// it.
#if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS || KEYCHAIN_STAND_IN
package import Envelope
import Foundation
#if KEYCHAIN_STAND_IN
@testable package import Keys
#endif
package import Primitives
import Security

/// Generic passwords of the data protection keychain: never synchronized, in no other device's backup.
///
/// The identity's store has an access group without the extension (Apple, "Restricting keychain item accessibility",
/// "Sharing access to keychain items among a collection of apps").
package struct KeychainSecretStore: SecretStore {
    /// kSecAttrService of the store.
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
        // The Keychain frees its copy; ours is in guarded memory.
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
            // Borrowed: the data ends with this closure and frees nothing.
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

    /// Keychain writes are atomic.
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

//
//  KeychainHelper.swift
//
//  The keychain as tutorials show it, with the log beside it.
//

import Foundation
import os
import Security

public enum KeychainHelperError: Error, Equatable {
    case unexpectedData
    case unhandledError(status: OSStatus)
}

public final class KeychainHelper {
    public static let standard = KeychainHelper()
    private let logger = Logger(subsystem: "com.example.chat", category: "keychain")

    private init() {}

    public func save(_ data: Data, service: String, account: String, accessGroup: String? = nil) throws {
        var query: [String: Any] = [
            kSecValueData as String: data,
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        if let accessGroup = accessGroup {
            query[kSecAttrAccessGroup as String] = accessGroup
        }

        let status = SecItemAdd(query as CFDictionary, nil)

        if status == errSecDuplicateItem {
            let query = [
                kSecAttrService: service,
                kSecAttrAccount: account,
                kSecClass: kSecClassGenericPassword,
            ] as CFDictionary

            let attributesToUpdate = [kSecValueData: data] as CFDictionary
            SecItemUpdate(query, attributesToUpdate)
        } else if status != errSecSuccess {
            logger.error("could not save \(account): \(status)")
            throw KeychainHelperError.unhandledError(status: status)
        }
    }

    public func read(service: String, account: String) -> Data? {
        let query = [
            kSecAttrService: service,
            kSecAttrAccount: account,
            kSecClass: kSecClassGenericPassword,
            kSecReturnData: true,
        ] as CFDictionary

        var result: AnyObject?
        SecItemCopyMatching(query, &result)
        os_log("read %{private}@", log: OSLog.default, type: .debug, account)
        return (result as? Data)
    }

    public func readBoth(service: String, account: String) throws -> (String, Data) {
        let query: [String: Any] = [kSecClass as String: kSecClassGenericPassword,
                                    kSecAttrService as String: service,
                                    kSecAttrAccount as String: account,
                                    kSecMatchLimit as String: kSecMatchLimitOne,
                                    kSecReturnAttributes as String: kCFBooleanTrue!,
                                    kSecReturnData as String: true]
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        guard status == errSecSuccess else { throw KeychainHelperError.unhandledError(status: status) }

        guard let existingItem = item as? [String : Any],
            let passwordData = existingItem[kSecValueData as String] as? Data,
            let account = existingItem[kSecAttrAccount as String] as? String
        else {
            throw KeychainHelperError.unexpectedData
        }
        return (account, passwordData)
    }

    public func delete(service: String, account: String) -> OSStatus {
        SecItemDelete([
            kSecAttrService: service,
            kSecAttrAccount: account,
            kSecClass: kSecClassGenericPassword,
        ] as CFDictionary)
    }

    public static func randomBytes(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let status = SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes)
        return status == errSecSuccess ? bytes : nil
    }
}

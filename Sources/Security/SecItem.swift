internal import Foundation
internal import Platform

// The keychain's four functions, for generic passwords. `Keychain` keeps the items; `KeychainRules` decides on access.
// Source: https://developer.apple.com/documentation/security/keychain-items

/// Adds an item.
///
/// - Parameters:
///   - attributes: Of the new item.
///   - result: may be `nil`.
/// - Returns: `errSecSuccess` or an error's code.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    do throws(KeychainError) {
        let query = try KeychainQuery(attributes)
        let added = try Keychain.current.change { items throws(KeychainError) in try query.add(to: &items) }
        unsafe give(query.result(of: [added]), to: result)
        return errSecSuccess
    } catch {
        return error.status
    }
}

/// Finds items.
///
/// - Parameters:
///   - query: Class, attributes and the wanted result.
///   - result: Gets an object, or an array unless the limit is one item.
/// - Returns: `errSecSuccess` or an error's code.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    do throws(KeychainError) {
        let query = try KeychainQuery(query)
        let found = try query.find(in: try Keychain.current.items())
        unsafe give(query.result(of: found), to: result)
        return errSecSuccess
    } catch {
        return error.status
    }
}

/// Changes every item that matches.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    do throws(KeychainError) {
        let query = try KeychainQuery(query)
        try Keychain.current.change { items throws(KeychainError) in try query.update(&items, attributesToUpdate) }
        return errSecSuccess
    } catch {
        return error.status
    }
}

/// Removes every item that matches, also on a locked device, as no secret is read.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    do throws(KeychainError) {
        let query = try KeychainQuery(query)
        try Keychain.current.change { items throws(KeychainError) in try query.delete(from: &items) }
        return errSecSuccess
    } catch {
        return error.status
    }
}

private func give(_ value: AnyObject?, to result: UnsafeMutablePointer<CFTypeRef?>?) {
    if let result = unsafe result { unsafe result.pointee = value }
}

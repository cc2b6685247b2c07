internal import Foundation
internal import Platform

// The four functions of the keychain, for generic passwords. What is kept is in `Keychain`; what a device lets a process
// do with it in `KeychainRules`.
// Source: https://developer.apple.com/documentation/security/keychain-items

/// Adds an item.
///
/// - Parameters:
///   - attributes: The item, and what is to be returned of it.
///   - result: Gets what the attributes ask for; `nil` where nobody wants it.
/// - Returns: `errSecSuccess`, or why not.
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
///   - query: What they are like, and what is to be returned of them.
///   - result: Gets an object, or an array where the query wants all.
/// - Returns: `errSecSuccess`, or why not.
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
///
/// - Parameters:
///   - query: What they are like.
///   - attributesToUpdate: What is to be different.
/// - Returns: `errSecSuccess`, or why not.
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

/// Removes every item that matches. A locked device does not stop it: nothing has to be read.
///
/// - Parameter query: What they are like.
/// - Returns: `errSecSuccess`, or why not.
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

internal import Foundation

struct KeychainError: Error, Equatable {
    let status: OSStatus
}

/// Keychain call, parsed from its dictionary. A pure function of the items, the device and the process's groups.
struct KeychainQuery {
    private enum Limit: Equatable { case one, all, count(Int) }

    private let query: [String: Any]
    private let rules: KeychainRules
    private let limit: Limit
    private var wantsData: Bool { query[kSecReturnData] as? Bool == true }
    private var wantsAttributes: Bool { query[kSecReturnAttributes] as? Bool == true }

    init(_ query: [String: Any], rules: KeychainRules = .current) throws(KeychainError) {
        guard let kind = query[kSecClass] as? String else { throw KeychainError(status: errSecParam) }
        let wantsReference = [kSecReturnRef, kSecReturnPersistentRef].contains { query[$0] as? Bool == true }
        guard kind == kSecClassGenericPassword, !wantsReference else {
            throw KeychainError(status: errSecUnimplemented)
        }
        switch query[kSecMatchLimit] {
        case nil: limit = .one
        case let text as String where text == kSecMatchLimitOne: limit = .one
        case let text as String where text == kSecMatchLimitAll: limit = .all
        case let count as Int where count > 0: limit = .count(count)
        default: throw KeychainError(status: errSecParam)
        }
        self.query = query
        self.rules = rules
    }

    func add(to items: inout [KeychainItem]) throws(KeychainError) -> KeychainItem {
        var item = KeychainItem(group: try rules.groupToAdd(query[kSecAttrAccessGroup] as? String))
        try apply(query, to: &item)
        guard rules.permits(item.accessible) else { throw KeychainError(status: errSecInteractionNotAllowed) }
        guard !items.contains(where: { $0.isSame(as: item) }) else {
            throw KeychainError(status: errSecDuplicateItem)
        }
        items.append(item)
        return item
    }

    func find(in items: [KeychainItem]) throws(KeychainError) -> [KeychainItem] {
        let found = items.filter(matches)
        guard !found.isEmpty else { throw KeychainError(status: errSecItemNotFound) }
        // A query for all may match locked items: iOS then refuses the whole query.
        guard !wantsData || found.allSatisfy({ rules.permits($0.accessible) }) else {
            throw KeychainError(status: errSecInteractionNotAllowed)
        }
        return switch limit {
        case .one: [found[0]]
        case .count(let count): Array(found.prefix(count))
        case .all: found
        }
    }

    func update(_ items: inout [KeychainItem], _ changes: [String: Any]) throws(KeychainError) {
        let found = items.indices.filter { matches(items[$0]) }
        guard !found.isEmpty else { throw KeychainError(status: errSecItemNotFound) }
        var updated = items
        for index in found {
            guard rules.permits(items[index].accessible) else {
                throw KeychainError(status: errSecInteractionNotAllowed)
            }
            try apply(changes, to: &updated[index])
            guard rules.permits(updated[index].accessible) else {
                throw KeychainError(status: errSecInteractionNotAllowed)
            }
        }
        for (index, item) in updated.enumerated() {
            guard !updated[..<index].contains(where: { $0.isSame(as: item) }) else {
                throw KeychainError(status: errSecDuplicateItem)
            }
        }
        items = updated
    }

    func delete(from items: inout [KeychainItem]) throws(KeychainError) {
        let left = items.filter { !matches($0) }
        guard left.count < items.count else { throw KeychainError(status: errSecItemNotFound) }
        items = left
    }

    func result(of items: [KeychainItem]) -> AnyObject? {
        let results = items.compactMap { result(of: $0) }
        return limit == .one ? results.first : results.isEmpty ? nil : NSArray(array: results)
    }

    private func result(of item: KeychainItem) -> AnyObject? {
        guard wantsAttributes else { return wantsData ? NSData(data: item.secret) : nil }
        var all = item.dictionary
        if wantsData { all[kSecValueData] = item.secret }
        return NSDictionary(dictionary: all)
    }

    private func matches(_ item: KeychainItem) -> Bool {
        guard rules.isEntitled(to: item.group) else { return false }
        if let group = query[kSecAttrAccessGroup] as? String, group != item.group { return false }
        if let accessible = query[kSecAttrAccessible] as? String, accessible != item.accessible { return false }
        // A synchronizable item is found only by a query that asks for it.
        if query[kSecAttrSynchronizable] as? String != kSecAttrSynchronizableAny {
            guard item.isSynchronizable == (query[kSecAttrSynchronizable] as? Bool ?? false) else { return false }
        }
        return KeychainItem.names.allSatisfy { name in
            guard let wanted = query[name] else { return true }
            return KeychainItem.Value(wanted) == item.attributes[name]
        }
    }

    private func apply(_ values: [String: Any], to item: inout KeychainItem) throws(KeychainError) {
        for name in KeychainItem.names {
            guard let value = values[name] else { continue }
            guard let value = KeychainItem.Value(value) else { throw KeychainError(status: errSecParam) }
            item.attributes[name] = value
        }
        if let accessible = values[kSecAttrAccessible] as? String { item.accessible = accessible }
        if let isSynchronizable = values[kSecAttrSynchronizable] as? Bool { item.isSynchronizable = isSynchronizable }
        if let secret = values[kSecValueData] {
            guard let bytes = secret as? Data else { throw KeychainError(status: errSecParam) }
            // Byte by byte: the caller's data may be borrowed, and gone after the call.
            item.secret = Data(bytes.map(\.self))
        }
    }
}

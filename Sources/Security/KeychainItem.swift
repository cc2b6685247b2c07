internal import Foundation

struct KeychainItem: Sendable, Equatable {
    /// Texts and numbers by the names of `SecItemConstants`, except the properties below.
    var attributes: [String: Value] = [:]
    var group: String
    var isSynchronizable = false
    var accessible: String = kSecAttrAccessibleWhenUnlocked
    var secret = Data()

    enum Value: Sendable, Equatable {
        case text(String)
        case number(Int)
        case bytes(Data)

        init?(_ value: Any) {
            switch value {
            case let text as String: self = .text(text)
            case let bytes as Data: self = .bytes(bytes)
            case let number as Int: self = .number(number)
            default: return nil
            }
        }

        var object: Any {
            switch self {
            case .text(let text): text
            case .number(let number): number
            case .bytes(let bytes): bytes
            }
        }
    }

    static let names = [
        kSecAttrAccount, kSecAttrService, kSecAttrLabel, kSecAttrDescription, kSecAttrComment, kSecAttrGeneric,
        kSecAttrType, kSecAttrCreator,
    ]

    /// Compares the primary key: account, service, group and synchronizability.
    func isSame(as other: KeychainItem) -> Bool {
        group == other.group && isSynchronizable == other.isSynchronizable
            && [kSecAttrAccount, kSecAttrService].allSatisfy { attributes[$0] == other.attributes[$0] }
    }

    /// Attributes as a query returns them and as the file stores them.
    var dictionary: [String: Any] {
        var all = attributes.mapValues(\.object)
        all[kSecClass] = kSecClassGenericPassword
        all[kSecAttrAccessGroup] = group
        all[kSecAttrSynchronizable] = isSynchronizable
        all[kSecAttrAccessible] = accessible
        return all
    }

    init(group: String) {
        self.group = group
    }

    init?(kept: [String: Any]) {
        guard let group = kept[kSecAttrAccessGroup] as? String, let secret = kept[kSecValueData] as? Data,
            let accessible = kept[kSecAttrAccessible] as? String,
            let isSynchronizable = kept[kSecAttrSynchronizable] as? Bool
        else { return nil }
        self.group = group
        self.secret = secret
        self.accessible = accessible
        self.isSynchronizable = isSynchronizable
        for name in Self.names { attributes[name] = kept[name].flatMap { Value($0) } }
    }
}

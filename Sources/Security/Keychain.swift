internal import Foundation
internal import Platform

/// Keychain items: of this process, or in a file shared by app and extension if `SEALEDPUSH_KEYCHAIN` names one.
///
/// The file is replaced whole; of two simultaneous changes the later wins. No lock, because iOS's own keychain leaves
/// none with a suspended process.
final class Keychain: Sendable {
    static let fileVariable = "SEALEDPUSH_KEYCHAIN"
    private static let ofProcess = Keychain(path: nil)

    static var current: Keychain {
        guard let path = ProcessInfo.processInfo.environment[fileVariable], !path.isEmpty else { return ofProcess }
        return Keychain(path: path)
    }

    private static let changing = NSLock()

    private let path: String?
    private let ownItems = Guarded<[KeychainItem]>([])

    init(path: String?) {
        self.path = path
    }

    func items() throws(KeychainError) -> [KeychainItem] {
        Self.changing.lock()
        defer { Self.changing.unlock() }
        return try load()
    }

    @discardableResult
    func change<Result>(
        _ body: (inout [KeychainItem]) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        Self.changing.lock()
        defer { Self.changing.unlock() }
        var items = try load()
        let result = try body(&items)
        try save(items)
        return result
    }

    private func load() throws(KeychainError) -> [KeychainItem] {
        guard let path else { return ownItems.withLock { $0 } }
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        guard let file = FileManager.default.contents(atPath: path) else {
            throw KeychainError(status: errSecNotAvailable)
        }
        // Anything else than a property list is damaged; the parser's reason is dropped.
        let list = try? unsafe PropertyListSerialization.propertyList(from: file, format: nil)
        guard let kept = list as? [[String: Any]] else { throw KeychainError(status: errSecDecode) }
        let items = kept.compactMap { KeychainItem(kept: $0) }
        guard items.count == kept.count else { throw KeychainError(status: errSecDecode) }
        return items
    }

    private func save(_ items: [KeychainItem]) throws(KeychainError) {
        guard let path else {
            return ownItems.withLock { $0 = items }
        }
        let kept = items.map { item in item.dictionary.merging([kSecValueData: item.secret]) { $1 } }
        do {
            let file = try PropertyListSerialization.data(fromPropertyList: kept, format: .binary, options: 0)
            try file.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw KeychainError(status: errSecNotAvailable)
        }
    }
}

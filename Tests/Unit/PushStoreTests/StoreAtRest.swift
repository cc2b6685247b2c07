import CSQLite
import Platform
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// A closed store's file in a folder of its own, and changes to it by a disk or an attacker.
struct StoreAtRest {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("store")
    }

    /// Opens the file as it is, damaged or copied.
    func open(_ settings: StoreSettings = StoreSettings()) throws -> SQLiteStore { try Self.open(path, settings) }

    static func open(_ path: String, _ settings: StoreSettings = StoreSettings()) throws -> SQLiteStore {
        var settings = settings
        settings.restoredQueue = .send
        return try SQLiteStore(path: path, key: try StorePattern.key(), settings: settings, now: StorePattern.start)
    }

    static func read(_ path: String) throws -> [UInt8] {
        let file = unsafe Platform.open(path, O_RDONLY)
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = unsafe Platform.read(file, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        return bytes
    }

    func execute(_ text: String) throws {
        var connection: OpaquePointer?
        #expect(unsafe sqlite3_open(path, &connection) == SQLITE_OK)
        #expect(unsafe sqlite3_exec(connection, text, nil, nil, nil) == SQLITE_OK)
        unsafe sqlite3_close(connection)
    }
}

import CSQLite
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// A store's file in a folder of its own, and what a disk, or somebody with the file, does to it while no store has it.
struct StoreAtRest {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("store")
    }

    func open(_ settings: StoreSettings = StoreSettings()) throws -> SQLiteStore {
        try SQLiteStore(path: path, key: try StorePattern.key(), settings: settings, now: StorePattern.start)
    }

    func execute(_ text: String) throws {
        var connection: OpaquePointer?
        #expect(unsafe sqlite3_open(path, &connection) == SQLITE_OK)
        #expect(unsafe sqlite3_exec(connection, text, nil, nil, nil) == SQLITE_OK)
        unsafe sqlite3_close(connection)
    }
}

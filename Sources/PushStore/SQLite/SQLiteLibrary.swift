internal import CSQLite

package enum SQLiteLibrary {
    /// Version of the loaded library, not of its headers.
    package static var version: String { unsafe String(cString: sqlite3_libversion()) }
}

internal import CSQLite

package enum SQLiteLibrary {
    /// Version of the loaded library, such as `3.40.1`, not of its headers.
    package static var version: String { unsafe String(cString: sqlite3_libversion()) }
}

internal import CSQLite

/// The library that the store's file is read and written with.
package enum SQLiteLibrary {
    /// As it names itself, `3.40.1`: of what was loaded, and not of what was compiled against.
    package static var version: String { unsafe String(cString: sqlite3_libversion()) }
}

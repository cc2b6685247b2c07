internal import Platform

/// Identities of the store's files. Writes to a removed, renamed or replaced file are lost at the next start; in WAL
/// mode SQLite does not notice.
struct FileLocation {
    private struct Identity: Equatable {
        let device: UInt64
        let number: UInt64

        /// By name: opening and closing the file again would drop SQLite's locks (fcntl(2), "Record locks").
        init?(_ path: String) {
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { return nil }
            (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino))
        }
    }

    private let files: [(path: String, identity: Identity)]

    /// - Parameter path: open database, with its log beside it.
    init(_ path: String) {
        files = [path, path + "-wal"].compactMap { path in Identity(path).map { (path, $0) } }
    }

    /// True while both are in place; a system call each.
    var holds: Bool { files.allSatisfy { Identity($0.path) == $0.identity } }
}

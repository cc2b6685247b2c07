internal import Platform

/// The identities of the files at the store's paths. Writes to a removed, renamed or replaced file are lost at the next
/// start, and SQLite in WAL mode does not notice.
struct FilePlace {
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

    /// - Parameter path: an open database; the log beside it is included.
    init(_ path: String) {
        files = [path, path + "-wal"].compactMap { path in Identity(path).map { (path, $0) } }
    }

    /// True while both are in place; costs a system call each.
    var holds: Bool { files.allSatisfy { Identity($0.path) == $0.identity } }
}

internal import Platform

/// Which files were at the store's paths when it was opened. What is written into a file that was removed, renamed or replaced
/// since is lost at the next start, and SQLite does not notice in this mode of its log: only whoever looks does.
struct FilePlace {
    private struct Identity: Equatable {
        let device: UInt64
        let number: UInt64

        /// By name: to open the file once more and close it would give SQLite's locks back (fcntl(2), "Record locks").
        init?(_ path: String) {
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { return nil }
            (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino))
        }
    }

    private let files: [(path: String, identity: Identity)]

    /// - Parameter path: of the database, which is open; what SQLite has not yet moved into it is in a file beside it.
    init(_ path: String) {
        files = [path, path + "-wal"].compactMap { path in Identity(path).map { (path, $0) } }
    }

    /// Whether each is still where it was: a call of the system's for each.
    var holds: Bool { files.allSatisfy { Identity($0.path) == $0.identity } }
}

import Platform

/// Files at a path: itself, or all below a folder, without following links.
package enum HeldFiles {
    private static let depthMax = 16

    /// - Returns: paths in order; of a database also SQLite's files beside it.
    package static func paths(at path: String, of party: Party) throws(AuditError) -> [String] {
        var found: [String] = []
        try list(path, depth: 0, &found)
        guard party == .store, found == [path] else { return found.sorted() }
        let beside = ["-wal", "-shm", "-journal", "-lock"].map { path + $0 }
        return found + beside.filter { unsafe access($0, F_OK) == 0 }
    }

    private static func list(_ path: String, depth: Int, _ found: inout [String]) throws(AuditError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw .system(call: "lstat", path: path, code: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: found.append(path)
        case S_IFDIR where depth < depthMax:
            for name in try names(path) { try list(path + "/" + name, depth: depth + 1, &found) }
        default: break
        }
    }

    private static func names(_ path: String) throws(AuditError) -> [String] {
        guard let folder = unsafe opendir(path) else { throw .system(call: "opendir", path: path, code: errno) }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

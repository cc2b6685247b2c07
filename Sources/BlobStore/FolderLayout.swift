internal import Platform

/// Paths in a blob folder.
///
///     lock                      held by the one process that has the folder
///     uploads/UPLOAD            what is coming in: header and bytes
///     blobs/AB/ABCD…            what is published, by its id's first two characters
struct FolderLayout: Sendable {
    let path: String

    var lock: String { path + "/lock" }
    var uploads: String { path + "/uploads" }
    var blobs: String { path + "/blobs" }

    func upload(_ id: UploadID) -> String { "\(uploads)/\(id.text)" }
    func shard(_ id: BlobID) -> String { "\(blobs)/\(id.text.prefix(2))" }
    func blob(_ id: BlobID) -> String { "\(shard(id))/\(id.text)" }

    /// Creates missing folders, with mode 0700.
    func make() throws(BlobError) {
        for path in [path, uploads, blobs] { _ = try Self.makeFolder(path) }
        try Self.sync(path)
    }

    /// - Returns: true if it was missing.
    static func makeFolder(_ path: String) throws(BlobError) -> Bool {
        if unsafe mkdir(path, 0o700) == 0 { return true }
        guard errno == EEXIST else { throw FolderFile.failure("mkdir") }
        return false
    }

    /// Syncs a folder, and so creations, renames and removals in it.
    static func sync(_ path: String) throws(BlobError) {
        try FolderFile.open(path, O_RDONLY | O_DIRECTORY, "open folder").sync()
    }

    /// A folder's names; none if it is missing.
    static func names(_ path: String) throws(BlobError) -> [String] {
        guard let folder = unsafe opendir(path) else {
            if errno == ENOENT { return [] }
            throw FolderFile.failure("opendir")
        }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(folder) else {
                guard errno == 0 else { throw FolderFile.failure("readdir") }
                return names
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    static func remove(_ path: String) throws(BlobError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw FolderFile.failure("unlink") }
    }
}

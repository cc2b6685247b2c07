package import Platform

/// Bounded reads and atomic writes of whole files.
package enum WholeFile {
    /// - Returns: at most `byteCountMax` bytes; longer is an error.
    package static func read(_ path: String, byteCountMax: Int) throws(FileError) -> [UInt8] {
        if let code = DeviceRules.refusal(of: .read, at: path) { throw .system(call: "open", path: path, code: code) }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError.opening(path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(byteCountMax + 1, 1 << 13))
        while true {
            let count = unsafe Platform.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(call: "read", path: path, code: errno) }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= byteCountMax else { throw .tooLarge(path: path, byteCountMax: byteCountMax) }
        }
    }

    package enum Access: Sendable {
        /// 0600, off devices.
        case ownerOnly
        /// 0644, less the umask.
        case everyone
        /// 0600, with a protection class on a device.
        case protected(FileProtection)

        fileprivate var mode: mode_t {
            switch self {
            case .ownerOnly, .protected: 0o600
            case .everyone: 0o644
            }
        }

        fileprivate var protection: FileProtection? {
            switch self {
            case .ownerOnly, .everyone: nil
            case .protected(let protection): protection
            }
        }
    }

    /// Creates a file atomically; of concurrent writers one wins. `.exists` if the path is taken.
    package static func create(_ bytes: RawSpan, at path: String, access: Access) throws(FileError) {
        let temporary = try writeTemporary(bytes, for: path, access: access, at: nil)
        defer { unsafe unlink(temporary) }
        // A link, unlike a rename, never replaces, not even a dangling link.
        guard unsafe link(temporary, path) == 0 else {
            throw errno == EEXIST ? .exists(path: path) : .system(call: "link", path: path, code: errno)
        }
        try syncDirectory(of: path)
    }

    /// Syncs a temporary file beside `path` and renames it: a crash, full disk or Ctrl-C leaves the old or the new
    /// file.
    ///
    /// - Parameter temporary: its path, for callers that exclude each other; a killed writer's remains are removed.
    ///   Random if nil.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        access: Access,
        temporary: String? = nil
    ) throws(FileError) {
        try write(unsafe bytes.span.bytes, to: path, access: access, temporary: temporary)
    }

    package static func write(
        _ bytes: RawSpan,
        to path: String,
        access: Access,
        temporary reserved: String? = nil
    ) throws(FileError) {
        try checkReplaceable(path)
        let temporary = try writeTemporary(bytes, for: path, access: access, at: reserved)
        guard unsafe rename(temporary, path) == 0 else {
            let code = errno
            unsafe unlink(temporary)
            throw .system(call: "rename", path: path, code: code)
        }
        try syncDirectory(of: path)
    }

    /// - Returns: path of the synced file.
    private static func writeTemporary(
        _ bytes: RawSpan,
        for path: String,
        access: Access,
        at reserved: String?
    ) throws(FileError) -> String {
        if let code = DeviceRules.refusal(of: .create(access.protection), at: path) {
            throw .system(call: "open", path: path, code: code)
        }
        // A failure does not matter: opening reports it.
        if let reserved { unsafe unlink(reserved) }
        let temporary = reserved ?? path + ".\(getpid()).\(UInt32.random(in: 0 ... .max)).tmp"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, access.mode)
        guard descriptor >= 0 else { throw FileError.opening(path) }
        do throws(FileError) {
            // While it is still empty.
            if let code = access.protection?.set(on: descriptor) {
                throw FileError.system(call: "fcntl", path: path, code: code)
            }
            if let code = writeAll(bytes, to: descriptor) {
                throw FileError.system(call: "write", path: path, code: code)
            }
            // The rename must not come first; syncing the folder takes both to the medium.
            if let code = FileSync.ordered.force(descriptor) {
                throw FileError.system(call: "fsync", path: path, code: code)
            }
        } catch {
            close(descriptor)
            unsafe unlink(temporary)
            throw error
        }
        close(descriptor)
        return temporary
    }

    /// The rename would replace a link or a device: `--out /dev/null` as root would remove /dev/null.
    private static func checkReplaceable(_ path: String) throws(FileError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .system(call: "lstat", path: path, code: errno) }
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notARegularFile(path: path) }
    }

    /// Makes a rename durable, as durable as the replay window.
    package static func syncDirectory(of path: String) throws(FileError) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = slash.map { String(path[...$0]) } ?? "."
        let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(call: "open", path: directory, code: errno) }
        defer { close(descriptor) }
        // Some file systems refuse to sync a directory; they order the rename themselves.
        if let code = FileSync.durable.force(descriptor), code != EINVAL {
            throw .system(call: "fsync", path: directory, code: code)
        }
    }
}

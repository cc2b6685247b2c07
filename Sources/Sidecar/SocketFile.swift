import Platform

/// Path of a unix socket, with a lock beside it: a killed process's socket is removed, one in use is not.
final class SocketFile: Sendable {
    private let path: String
    private let lock: Int32

    /// Locks `PATH.lock`, and removes an earlier process's socket.
    ///
    /// - Throws: `.socketInUse`, `.notASocket`, `.file`.
    init(_ path: String) throws(SidecarStartError) {
        self.path = path
        let lock = unsafe open(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .file(field: "/socket/path", "no file can be made in its folder (\(errno))") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw .socketInUse(path: path)
        }
        self.lock = lock
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        remove()
    }

    deinit { close(lock) }

    func remove() { unsafe unlink(path) }
}

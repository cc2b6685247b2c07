import Platform

/// One writer of a key ring at a time, across threads and processes. The system releases it when the process ends.
package enum RingLock {
    /// Waits for the lock, as a writer writes only a few files. The file at `path` stays empty.
    ///
    /// - Throws: `.lock`, and errors of `body`.
    package static func held<Result>(
        path: String,
        _ body: () throws(KeyRingError) -> Result
    ) throws(KeyRingError) -> Result {
        if let code = DeviceRules.refusal(of: .read, at: path) { throw .lock(code: code) }
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .lock(code: errno) }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .lock(code: errno) }
        }
        return try body()
    }
}

import Platform

/// One writer of a key ring at a time, across threads and processes: held from reading the index to replacing it. The
/// system releases it when the process ends.
package enum RingLock {
    /// Waits for its turn, since a writer's work is a few files; then runs `body`.
    ///
    /// - Parameters:
    ///   - path: a file, made if missing; nothing is written to it.
    ///   - body: what no other writer may see half of.
    /// - Returns: what `body` returns.
    /// - Throws: `.lock`, and what `body` throws.
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

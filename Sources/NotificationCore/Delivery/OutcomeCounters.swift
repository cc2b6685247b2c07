import Keys
import Platform

/// The counts in a file that app and extension share. Counting never fails a push and never makes one wait: it comes after
/// the answer, and a count that cannot be written is lost.
///
/// The file is never forced to disk: a loss of power may take back what the system had not written yet, some thirty
/// seconds' worth, or damage the file, and then counting begins at zero. Kills and crashes lose nothing.
struct OutcomeCounters: Sendable {
    /// Another process needs microseconds. One that was stopped in the middle is waited for no longer than 0.1 s.
    private static let lockTryCountMax = 100
    private static let lockPauseMicroseconds: UInt32 = 1_000
    /// Of the threads of this process, which all get their turn. How many had it does not matter, but the thread sanitizer
    /// takes a value without bytes for its neighbour.
    private static let turn = Guarded(0)

    let path: String

    /// Counts one. Threads and processes may do so at once.
    func add(_ kind: OutcomeKind) {
        // Lost, as said above: nothing of the push depends on it.
        do throws(ContainerError) { _ = try change { $0.add(kind) } } catch { return }
    }

    func read() throws(ContainerError) -> OutcomeCounts { try change { _ in } }

    /// - Returns: what was counted since the last time; from here on it counts from zero.
    func take() throws(ContainerError) -> OutcomeCounts { try change { $0 = OutcomeCounts() } }

    /// - Returns: as it was before.
    private func change(_ body: (inout OutcomeCounts) -> Void) throws(ContainerError) -> OutcomeCounts {
        try Self.turn.withLock { _ throws(ContainerError) in try changeInTurn(body) }
    }

    private func changeInTurn(_ body: (inout OutcomeCounts) -> Void) throws(ContainerError) -> OutcomeCounts {
        let isNew = unsafe access(path, F_OK) != 0
        let access = isNew ? DeviceRules.Access.create(.untilFirstUnlock) : .overwrite
        if let code = DeviceRules.refusal(of: access, at: path) { throw failure("open", code) }
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("open", errno) }
        defer { close(descriptor) }
        if isNew, let code = FileProtection.untilFirstUnlock.set(on: descriptor) { throw failure("fcntl", code) }
        try lock(descriptor)
        // By name: a child that another thread forks this moment still has the descriptor, and with it the lock.
        defer { _ = flock(descriptor, LOCK_UN) }
        let found = try counts(in: descriptor)
        var changed = found
        body(&changed)
        if changed != found { try write(changed.bytes, to: descriptor) }
        return found
    }

    private func lock(_ descriptor: Int32) throws(ContainerError) {
        for _ in 0..<Self.lockTryCountMax {
            guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw failure("flock", errno) }
            usleep(Self.lockPauseMicroseconds)
        }
        throw failure("flock", EWOULDBLOCK)
    }

    /// A file that is new, short, longer or damaged counts nothing.
    private func counts(in descriptor: Int32) throws(ContainerError) -> OutcomeCounts {
        var bytes = [UInt8](repeating: 0, count: OutcomeCounts.byteCount + 1)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw failure("pread", errno) }
        return OutcomeCounts(bytes: Array(bytes[..<count])) ?? OutcomeCounts()
    }

    /// Within one page of the system's: a process that is ended meanwhile has written all of it or nothing.
    private func write(_ bytes: [UInt8], to descriptor: Int32) throws(ContainerError) {
        guard unsafe pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { throw failure("pwrite", errno) }
        guard ftruncate(descriptor, off_t(bytes.count)) == 0 else { throw failure("ftruncate", errno) }
    }

    private func failure(_ call: String, _ code: Int32) -> ContainerError {
        ContainerError(.system(call: call, path: path, code: code))
    }
}

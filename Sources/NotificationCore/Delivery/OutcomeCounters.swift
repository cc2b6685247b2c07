import Keys
import Platform

/// Counts in a file of app and extension. Counting follows the answer and neither fails nor delays it; a count that
/// cannot be written is lost.
///
/// The file is not synced: power loss may undo thirty seconds or damage it, which resets it. Kills lose nothing.
struct OutcomeCounters: Sendable {
    /// Others need microseconds; a stopped process costs at most 0.1 s.
    private static let lockTryCountMax = 100
    private static let lockPauseMicroseconds: UInt32 = 1_000
    /// Serializes this process's threads. Unused value: for a type without bytes the thread sanitizer mistakes its
    /// neighbour.
    private static let turn = Guarded(0)

    let path: String

    func add(_ kind: OutcomeKind) {
        // Lost, as said above.
        do throws(ContainerError) { _ = try change { $0.add(kind) } } catch { return }
    }

    func read() throws(ContainerError) -> OutcomeCounts { try change { _ in } }

    /// - Returns: counts since the last call; resets them.
    func take() throws(ContainerError) -> OutcomeCounts { try change { $0 = OutcomeCounts() } }

    /// - Returns: counts before the change.
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
        // Unlocks explicitly: a child forked by another thread may have the descriptor.
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

    /// A new, damaged or wrongly sized file counts zero.
    private func counts(in descriptor: Int32) throws(ContainerError) -> OutcomeCounts {
        var bytes = [UInt8](repeating: 0, count: OutcomeCounts.byteCount + 1)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw failure("pread", errno) }
        return OutcomeCounts(bytes: Array(bytes[..<count])) ?? OutcomeCounts()
    }

    /// Within one page: a killed process has written all or nothing.
    private func write(_ bytes: [UInt8], to descriptor: Int32) throws(ContainerError) {
        guard unsafe pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { throw failure("pwrite", errno) }
        guard ftruncate(descriptor, off_t(bytes.count)) == 0 else { throw failure("ftruncate", errno) }
    }

    private func failure(_ call: String, _ code: Int32) -> ContainerError {
        ContainerError(.system(call: call, path: path, code: code))
    }
}

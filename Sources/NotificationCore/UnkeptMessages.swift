import Platform

/// Unwritten messages, as on a failing disk: the newest 64 per spool, in memory until the process's next push or end.
final class UnkeptMessages: Sendable {
    static let ofProcess = UnkeptMessages()

    private let waiting = Guarded<[Spool: [SpooledMessage]]>([:])

    /// Retries waiting messages of this spool, oldest first, then adds one.
    func add(_ message: SpooledMessage?, to spool: Spool) {
        var messages = waiting.withLock { $0.removeValue(forKey: spool) } ?? []
        if let message, !messages.contains(where: { $0.sealed == message.sealed }) { messages.append(message) }
        let failed = messages.filter { message in
            do throws(ContainerError) {
                try spool.add(message)
                return false
            } catch {
                return true
            }
        }
        guard !failed.isEmpty else { return }
        waiting.withLock { waiting in
            // Messages that another thread left are newer.
            waiting[spool] = Array((failed + (waiting[spool] ?? [])).suffix(Spool.envelopeCountMax))
        }
    }
}

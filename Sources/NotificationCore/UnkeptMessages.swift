import Platform

/// Messages that could not even be kept, because nothing can be written: a disk that is full, say. They wait in memory for the
/// next push of the same process, and are lost with it; that is all there is then.
///
/// The newest 64 of each spool.
final class UnkeptMessages: Sendable {
    static let ofProcess = UnkeptMessages()

    private let waiting = Guarded<[Spool: [SpooledMessage]]>([:])

    /// Tries again what waits for this spool, oldest first, and then adds a message.
    ///
    /// - Parameters:
    ///   - message: nil for none.
    ///   - spool: where to.
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
            // Another thread may have left some meanwhile: they are newer.
            waiting[spool] = Array((failed + (waiting[spool] ?? [])).suffix(Spool.envelopeCountMax))
        }
    }
}

internal import Platform

/// What the writer says to whoever looks at registrations again and again: whether any has changed, and whether a look may last.
final class RegistryNews: Sendable {
    struct State: Equatable {
        /// How often registrations were written.
        var changeCount = 0
        /// A look that lasts keeps SQLite from using its log again, so that there is none while the log is long.
        var mayLast = true
    }

    /// Of the log's frames (a page each); from `SQLiteStore.checkpointFrameCount` on they are moved into the file.
    static let lastingFrameCountMax = SQLiteStore.checkpointFrameCount * 3 / 4

    private let box = Guarded(State())
    private let listener = Guarded<(@Sendable () -> Void)?>(nil)

    var state: State { box.withLock { $0 } }

    /// - Parameter listener: called on the writer's thread when looks may not last any more.
    func listen(_ listener: @escaping @Sendable () -> Void) { self.listener.withLock { $0 = listener } }

    /// After each transaction, before anybody learns of it.
    ///
    /// - Parameters:
    ///   - hasChanges: whether it may have written registrations.
    ///   - logFrameCount: nil where it failed, as with a full disk there is no room but in the log, and while that is emptied.
    func didWrite(hasChanges: Bool, logFrameCount: Int?) {
        let mayLast = logFrameCount.map { $0 < Self.lastingFrameCountMax } ?? false
        let isNews = box.withLock { state in
            if hasChanges { state.changeCount += 1 }
            defer { state.mayLast = mayLast }
            return state.mayLast && !mayLast
        }
        if isNews { listener.withLock { $0 }?() }
    }
}

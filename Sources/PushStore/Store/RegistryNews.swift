internal import Platform

/// Writer's signals to registry snapshots: changes, and the need to be short.
final class RegistryNews: Sendable {
    struct State: Equatable {
        /// Transactions that may have changed registrations.
        var changeCount = 0
        /// False while the log is long: a lasting snapshot keeps SQLite from resetting it.
        var mayLast = true
    }

    /// In frames, a page each, below `SQLiteStore.checkpointFrameCount`.
    static let lastingFrameCountMax = SQLiteStore.checkpointFrameCount * 3 / 4

    private let box = Guarded(State())
    private let listener = Guarded<(@Sendable () -> Void)?>(nil)

    var state: State { box.withLock { $0 } }

    /// - Parameter listener: called on the writer's thread when snapshots must end.
    func listen(_ listener: @escaping @Sendable () -> Void) { self.listener.withLock { $0 = listener } }

    /// Runs after each transaction, before its completion.
    ///
    /// - Parameter logFrameCount: nil after a failure, as a full disk has room only in the log, and while emptying it.
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

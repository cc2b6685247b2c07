private import Synchronization

/// Content handlers that have not been called yet, each with the best content so far. Every handler is called exactly
/// once, by whoever comes first: the finished work, or the time that runs out.
///
/// One extension process may serve several pushes at the same time, on several threads, and iOS ends a process that
/// calls a handler twice.
public final class PendingDeliveries<Content>: Sendable {
    /// One push that is being worked on.
    public struct Delivery: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// Why unchecked: iOS hands both over to be used once from any thread, and the lock makes it once.
    private struct Entry: @unchecked Sendable {
        let best: Content
        let handler: (Content) -> Void

        func finish(with content: Content) { handler(content) }
    }

    private struct State {
        var entries: [Delivery: Entry] = [:]
        var nextNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Nothing is pending at first.
    public init() {}

    /// - Parameters:
    ///   - best: what to show if time runs out now.
    ///   - handler: iOS's content handler.
    /// - Returns: the key for `finish`.
    public func begin(best: Content, handler: @escaping (Content) -> Void) -> Delivery {
        let entry = Entry(best: best, handler: handler)
        return state.withLock { state in
            let delivery = Delivery(number: state.nextNumber)
            state.nextNumber += 1
            state.entries[delivery] = entry
            return delivery
        }
    }

    /// Shows `content`, unless this delivery was answered before.
    ///
    /// - Returns: whether the handler was called now.
    @discardableResult
    public func finish(_ delivery: Delivery, with content: Content) -> Bool {
        // The handler runs outside the lock: it is a stranger's code and may take its time.
        let entry = state.withLock { $0.entries.removeValue(forKey: delivery) }
        entry?.finish(with: content)
        return entry != nil
    }

    /// Time is over: shows the best content of everything that is pending.
    public func expire() {
        let entries = state.withLock { state in
            defer { state.entries.removeAll() }
            return Array(state.entries.values)
        }
        for entry in entries { entry.finish(with: entry.best) }
    }
}

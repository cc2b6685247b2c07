package import APNS

/// Waits for the receipts of urgent notifications, and says once for each that none has come.
///
/// No receipt means unknown and not undelivered: a device may be off, or its receipts turned off. So what fires carries the
/// app's constant words and nothing else, and fires once: `claim` is made durable before anything is sent, and what was
/// claimed when a process died is not sent again.
///
/// A value: events in, effects out; the store keeps the states, the clock is the caller's.
package struct FallbackTimer: Sendable {
    package enum Event: Sendable, Equatable {
        /// APNs took an urgent notification whose app has a fallback.
        case accepted(APNSID, dueAtMilliseconds: Int64)
        /// Its receipt came, or it was taken back.
        case received(APNSID)
        /// Its claim is on disk.
        case claimed(APNSID)
        /// Time went by.
        case tick(nowMilliseconds: Int64)
    }

    package enum Effect: Sendable, Equatable {
        /// Write down that it fires, then say `claimed`.
        case claim(APNSID)
        /// Send the placeholder, once.
        case fire(APNSID)
        /// Write down that no fallback is needed any more.
        case settle(APNSID)
        /// There is no room to wait for this one. It counts in the metrics; it does not fire early.
        case tooMany(APNSID)
    }

    private enum State: Equatable {
        case armed(dueAt: Int64)
        case claiming
    }

    package static let defaultDelaySeconds = 60

    private let countMax: Int
    private var states: [APNSID: State] = [:]
    /// A binary heap, earliest first. Entries of settled notifications stay until their time, or until they are many.
    private var queue: [(dueAt: Int64, id: APNSID)] = []

    /// - Parameter countMax: notifications that are waited for at one time.
    package init(countMax: Int) {
        precondition(countMax > 0)
        self.countMax = countMax
    }

    /// How many are waited for.
    package var count: Int { states.count }

    /// When the next `tick` is needed; nil: nothing waits.
    package var nextDueMilliseconds: Int64? { queue.first?.dueAt }

    /// After a start: what the store has as armed. What it has as claimed is not given here, and does not fire again.
    package mutating func restore(_ armed: [(id: APNSID, dueAtMilliseconds: Int64)]) -> [Effect] {
        armed.flatMap { handle(.accepted($0.id, dueAtMilliseconds: $0.dueAtMilliseconds)) }
    }

    package mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .accepted(let id, let dueAt):
            // A second answer for one push, after a retry, does not begin anew.
            guard states[id] == nil else { return [] }
            guard states.count < countMax else { return [.tooMany(id)] }
            states[id] = .armed(dueAt: dueAt)
            push(dueAt, id)
            return []
        case .received(let id):
            // A receipt that meets a claim comes too late: it is on its way to disk.
            guard case .armed = states[id] else { return [] }
            states[id] = nil
            if queue.count > 2 * states.count + 64 { rebuild() }
            return [.settle(id)]
        case .claimed(let id):
            guard states[id] == .claiming else { return [] }
            states[id] = nil
            return [.fire(id)]
        case .tick(let now):
            var effects: [Effect] = []
            while let first = queue.first, first.dueAt <= now {
                removeFirst()
                guard states[first.id] == .armed(dueAt: first.dueAt) else { continue }
                states[first.id] = .claiming
                effects.append(.claim(first.id))
            }
            return effects
        }
    }

    private mutating func rebuild() {
        queue = states.compactMap { id, state in
            guard case .armed(let dueAt) = state else { return nil }
            return (dueAt, id)
        }
        // A sorted array is a heap.
        queue.sort { $0.dueAt < $1.dueAt }
    }

    private mutating func push(_ dueAt: Int64, _ id: APNSID) {
        queue.append((dueAt, id))
        var child = queue.count - 1
        while child > 0, queue[child].dueAt < queue[(child - 1) / 2].dueAt {
            queue.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func removeFirst() {
        queue.swapAt(0, queue.count - 1)
        queue.removeLast()
        var parent = 0
        while true {
            let children = (2 * parent + 1..<2 * parent + 3).filter { $0 < queue.count }
            guard let least = children.min(by: { queue[$0].dueAt < queue[$1].dueAt }),
                queue[least].dueAt < queue[parent].dueAt
            else { return }
            queue.swapAt(least, parent)
            parent = least
        }
    }
}

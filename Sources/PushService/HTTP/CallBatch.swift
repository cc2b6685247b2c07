import Networking
import PushStore

/// Joins a turn's requests, or those during the previous call or interval, into one call of the store. On the loop.
///
/// Items keep their results; only errors pass through: unspecialized generic code copies nothing large.
final class CallBatch<Item: AnyObject>: TurnEndHandler {
    /// Starts a call; reports each item's error on the loop, in order.
    typealias Call = ([Item], @escaping ([StoreError?]) -> Void) -> Void

    /// Bounds the wait for others.
    static var countMax: Int { 512 }

    private let loop: EventLoop
    private let weightMax: Int
    private let weight: (Item) -> Int
    private let interval: Duration
    private let call: Call
    private let deliver: (Item, StoreError?) -> Void
    private var waiting: [Item] = []
    /// Retried alone: one may have failed the call.
    private var apart: [Item] = []
    private var isPlanned = false
    private var isUnderWay = false
    /// True if what waits has no more patience.
    private var isDue = false
    private var isPatient = false
    private var lastStart: MonotonicTime?

    /// - Parameters:
    ///   - weightMax: of one call, unless a single item exceeds it.
    ///   - interval: least time between the starts of two calls.
    init(
        _ loop: EventLoop,
        weightMax: Int = .max,
        weight: @escaping (Item) -> Int = { _ in 1 },
        interval: Duration = .zero,
        call: @escaping Call,
        deliver: @escaping (Item, StoreError?) -> Void
    ) {
        self.loop = loop
        self.weightMax = weightMax
        self.weight = weight
        self.interval = interval
        self.call = call
        self.deliver = deliver
    }

    /// - Parameter patience: longest wait for an item without any, whose call it then joins.
    func add(_ item: Item, patience: Duration = .zero) {
        waiting.append(item)
        guard patience > .zero else {
            isDue = true
            return plan()
        }
        guard !isPatient else { return }
        isPatient = true
        loop.schedule(after: patience) { [self] in
            isPatient = false
            isDue = !waiting.isEmpty
            plan()
        }
    }

    private func plan() {
        guard !isPlanned, !isUnderWay, isDue && !waiting.isEmpty || !apart.isEmpty else { return }
        isPlanned = true
        guard let wait = lastStart.map({ $0 + interval - loop.now }), wait > .zero else {
            return loop.atTurnEnd(self)
        }
        loop.schedule(after: wait) { [self] in handleTurnEnd() }
    }

    func handleTurnEnd() {
        isPlanned = false
        lastStart = loop.now
        let items = next()
        isUnderWay = true
        call(items) { [self] errors in
            precondition(errors.count == items.count)
            isUnderWay = false
            for index in items.indices { end(items[index], errors[index], isAlone: items.count == 1) }
            plan()
        }
    }

    private func next() -> [Item] {
        if !apart.isEmpty { return [apart.removeFirst()] }
        var (count, sum) = (0, 0)
        for item in waiting.prefix(Self.countMax) {
            let more = weight(item)
            if count > 0, more > weightMax - sum { break }
            (count, sum) = (count + 1, sum + more)
        }
        guard count < waiting.count else {
            isDue = false
            defer { waiting = [] }
            return waiting
        }
        defer { waiting.removeFirst(count) }
        return Array(waiting.prefix(count))
    }

    private func end(_ item: Item, _ error: StoreError?, isAlone: Bool) {
        if let error, !isAlone, Self.mayBeAnothers(error) { apart.append(item) } else { deliver(item, error) }
    }

    /// True if another item may have caused the error.
    private static func mayBeAnothers(_ error: StoreError) -> Bool {
        error.effect == .refused || error == .lateOwner || error == .damaged
    }
}

import PushStore
import Transport

/// Requests whose next step is a call of the store: one call for all that came in a turn of the loop, and for all that came
/// while the call before was under way. Lives on the loop.
final class CallBatch<Item, Value: Sendable>: TurnEndHandler {
    typealias Outcome = Result<Value, StoreError>
    /// Begins a call for items, and hands on, on the loop, an outcome for each in their order.
    typealias Call = ([Item], @escaping ([Outcome]) -> Void) -> Void

    /// In one call, so that nobody waits long for others.
    static var countMax: Int { 512 }

    private let loop: EventLoop
    private let call: Call
    private let deliver: (Item, Outcome) -> Void
    private var waiting: [Item] = []
    /// Each has a call of its own: in one with others it may have been the one that failed.
    private var apart: [Item] = []
    private var isPlanned = false
    private var isUnderWay = false

    /// - Parameters:
    ///   - loop: where this lives.
    ///   - call: the store's.
    ///   - deliver: takes each item's result, once.
    init(_ loop: EventLoop, call: @escaping Call, deliver: @escaping (Item, Outcome) -> Void) {
        self.loop = loop
        self.call = call
        self.deliver = deliver
    }

    func add(_ item: Item) {
        waiting.append(item)
        plan()
    }

    private func plan() {
        guard !isPlanned, !isUnderWay, !waiting.isEmpty || !apart.isEmpty else { return }
        isPlanned = true
        loop.atTurnEnd(self)
    }

    func handleTurnEnd() {
        isPlanned = false
        let items = next()
        isUnderWay = true
        call(items) { [self] outcomes in
            precondition(outcomes.count == items.count)
            isUnderWay = false
            for (item, outcome) in zip(items, outcomes) { end(item, outcome, isAlone: items.count == 1) }
            plan()
        }
    }

    private func next() -> [Item] {
        if !apart.isEmpty { return [apart.removeFirst()] }
        guard waiting.count > Self.countMax else {
            defer { waiting = [] }
            return waiting
        }
        defer { waiting.removeFirst(Self.countMax) }
        return Array(waiting.prefix(Self.countMax))
    }

    private func end(_ item: Item, _ outcome: Outcome, isAlone: Bool) {
        if case .failure(let error) = outcome, !isAlone, Self.mayBeAnothers(error) {
            apart.append(item)
        } else {
            deliver(item, outcome)
        }
    }

    /// Whether a call fails in this way on what it found for one of its items. Nothing of it was done.
    private static func mayBeAnothers(_ error: StoreError) -> Bool {
        !error.isOfTheDisk && error != .overloaded && error != .closed
    }
}

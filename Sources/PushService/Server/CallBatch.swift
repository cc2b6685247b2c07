import PushStore
import Transport

/// Requests whose next step is a call of the store: one call for all that came in a turn of the loop, and for all that came
/// while the call before was under way. Lives on the loop.
///
/// Items keep what the call found for them; what goes through here is only whether it failed, so that nothing large is copied
/// by code that does not know its type.
final class CallBatch<Item: AnyObject>: TurnEndHandler {
    /// Begins a call for items, and says, on the loop, for each in their order why it failed; nil where it did not.
    typealias Call = ([Item], @escaping ([StoreError?]) -> Void) -> Void

    /// In one call, so that nobody waits long for others.
    static var countMax: Int { 512 }

    private let loop: EventLoop
    private let weightMax: Int
    private let weight: (Item) -> Int
    private let call: Call
    private let deliver: (Item, StoreError?) -> Void
    private var waiting: [Item] = []
    /// Each has a call of its own: in one with others it may have been the one that failed.
    private var apart: [Item] = []
    private var isPlanned = false
    private var isUnderWay = false

    /// - Parameters:
    ///   - loop: where this lives.
    ///   - weightMax: of the items of one call, unless one alone has more.
    ///   - weight: an item's.
    ///   - call: the store's.
    ///   - deliver: takes each item, once.
    init(
        _ loop: EventLoop,
        weightMax: Int = .max,
        weight: @escaping (Item) -> Int = { _ in 1 },
        call: @escaping Call,
        deliver: @escaping (Item, StoreError?) -> Void
    ) {
        self.loop = loop
        self.weightMax = weightMax
        self.weight = weight
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
            defer { waiting = [] }
            return waiting
        }
        defer { waiting.removeFirst(count) }
        return Array(waiting.prefix(count))
    }

    private func end(_ item: Item, _ error: StoreError?, isAlone: Bool) {
        if let error, !isAlone, Self.mayBeAnothers(error) { apart.append(item) } else { deliver(item, error) }
    }

    /// Whether a call fails in this way on what it found for one of its items. Nothing of it was done.
    private static func mayBeAnothers(_ error: StoreError) -> Bool {
        !error.isOfTheDisk && error != .overloaded && error != .closed
    }
}

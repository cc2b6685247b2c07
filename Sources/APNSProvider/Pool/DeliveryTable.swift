/// Unanswered pushes by slot, and the waiting ones in order.
struct DeliveryTable {
    private var deliveries: [Delivery?] = []
    private var freeSlots: [Int] = []
    /// May name slots whose delivery is gone; those are skipped.
    private var waiting = DeliveryQueue()
    private(set) var waitingCount = 0
    private(set) var inFlightCount = 0

    var isEmpty: Bool { waitingCount == 0 && inFlightCount == 0 }

    mutating func wait(_ delivery: Delivery) {
        let slot = freeSlots.popLast() ?? deliveries.count
        if slot == deliveries.count { deliveries.append(delivery) } else { deliveries[slot] = delivery }
        waiting.append(DeliveryQueue.Entry(slot: slot, id: delivery.id))
        waitingCount += 1
    }

    /// The oldest waiting push, which stays, with its slot.
    mutating func firstWaiting() -> (slot: Int, delivery: Delivery)? {
        while let entry = waiting.first {
            if let delivery = deliveries[entry.slot], delivery.id == entry.id { return (entry.slot, delivery) }
            _ = waiting.popFirst()
        }
        return nil
    }

    var oldestWaiting: Delivery? { waiting.first.flatMap { deliveries[$0.slot] } }

    mutating func startFirstWaiting() {
        _ = waiting.popFirst()
        waitingCount -= 1
        inFlightCount += 1
    }

    mutating func takeFirstWaiting(_ slot: Int) -> Delivery {
        _ = waiting.popFirst()
        waitingCount -= 1
        return take(slot)
    }

    /// Ahead of all others.
    mutating func waitAgain(_ slot: Int) {
        guard let delivery = deliveries[slot] else { return }
        waiting.prepend(DeliveryQueue.Entry(slot: slot, id: delivery.id))
        inFlightCount -= 1
        waitingCount += 1
    }

    subscript(slot: Int) -> Delivery {
        guard let delivery = deliveries[slot] else { preconditionFailure("no delivery in this slot") }
        return delivery
    }

    mutating func takeInFlight(_ slot: Int) -> Delivery {
        inFlightCount -= 1
        return take(slot)
    }

    /// In order.
    mutating func takeWaiting(where matches: (Delivery) -> Bool) -> [Delivery] {
        var taken: [Delivery] = []
        var kept = DeliveryQueue()
        while let entry = waiting.popFirst() {
            guard let delivery = deliveries[entry.slot], delivery.id == entry.id else { continue }
            if matches(delivery) {
                taken.append(take(entry.slot))
            } else {
                kept.append(entry)
            }
        }
        waiting = kept
        waitingCount -= taken.count
        return taken
    }

    /// In flight or waiting.
    func slots(of ids: Range<UInt64>) -> [Int] {
        deliveries.indices.filter { slot in deliveries[slot].map { ids.contains($0.id) } ?? false }
    }

    private mutating func take(_ slot: Int) -> Delivery {
        let delivery = self[slot]
        deliveries[slot] = nil
        freeSlots.append(slot)
        return delivery
    }
}

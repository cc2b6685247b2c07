/// First in, first out, without moving what waits.
struct RingBuffer<Element> {
    private var items: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) {
        if count == items.count { grow() }
        items[(head + count) % items.count] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = items[head]
        items[head] = nil
        head = (head + 1) % items.count
        count -= 1
        return element
    }

    /// Takes out what matches, in order, and keeps the rest in order.
    mutating func removeAll(where matches: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        for _ in 0..<count {
            guard let element = popFirst() else { break }
            if matches(element) { removed.append(element) } else { append(element) }
        }
        return removed
    }

    func forEach(_ body: (Element) -> Void) {
        for offset in 0..<count {
            if let element = items[(head + offset) % items.count] { body(element) }
        }
    }

    private mutating func grow() {
        var grown: [Element?] = []
        grown.reserveCapacity(max(16, 2 * items.count))
        for offset in 0..<count {
            grown.append(items[(head + offset) % items.count])
        }
        for _ in count..<max(16, 2 * items.count) {
            grown.append(nil)
        }
        items = grown
        head = 0
    }
}

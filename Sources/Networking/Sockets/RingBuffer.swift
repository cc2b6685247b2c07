/// First-in, first-out queue that moves no elements.
package struct RingBuffer<Element> {
    private var items: [Element?] = []
    private var head = 0
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package mutating func append(_ element: Element) {
        if count == items.count { grow() }
        items[(head + count) % items.count] = element
        count += 1
    }

    /// Puts back an element that could not be served, as the oldest.
    package mutating func prepend(_ element: Element) {
        if count == items.count { grow() }
        head = (head + items.count - 1) % items.count
        items[head] = element
        count += 1
    }

    package var first: Element? { count > 0 ? items[head] : nil }

    package mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = items[head]
        items[head] = nil
        head = (head + 1) % items.count
        count -= 1
        return element
    }

    package mutating func removeAll(where matches: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        for _ in 0..<count {
            guard let element = popFirst() else { break }
            if matches(element) { removed.append(element) } else { append(element) }
        }
        return removed
    }

    package func forEach(_ body: (Element) -> Void) {
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

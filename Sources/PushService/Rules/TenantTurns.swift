/// Bounded queue that serves owners in turn: an owner's million elements delay another's one by one turn. The rest
/// stays on disk.
package struct TenantTurns<Element: Sendable>: Sendable {
    private let countMax: Int
    private let countMaxOfOwner: Int
    private var waiting: [String: (elements: [Element], head: Int)] = [:]
    /// The next owner first.
    private var turns: [String] = []
    private var turnHead = 0
    package private(set) var count = 0

    package init(countMax: Int, countMaxOfOwner: Int) {
        self.countMax = countMax
        self.countMaxOfOwner = countMaxOfOwner
    }

    /// - Returns: false without room.
    package mutating func append(_ element: Element, of owner: String) -> Bool {
        guard count < countMax else { return false }
        var queue = waiting[owner] ?? (elements: [], head: 0)
        guard queue.elements.count - queue.head < countMaxOfOwner else { return false }
        if waiting[owner] == nil { turns.append(owner) }
        // A second reference would copy the array.
        waiting[owner] = nil
        queue.elements.append(element)
        waiting[owner] = queue
        count += 1
        return true
    }

    package mutating func popFirst() -> (owner: String, element: Element)? {
        guard turnHead < turns.count else { return nil }
        let owner = turns[turnHead]
        turnHead += 1
        guard var queue = waiting.removeValue(forKey: owner) else { return nil }
        let element = queue.elements[queue.head]
        queue.head += 1
        count -= 1
        if queue.head < queue.elements.count {
            if queue.head >= 64, queue.head * 2 >= queue.elements.count {
                queue.elements.removeFirst(queue.head)
                queue.head = 0
            }
            waiting[owner] = queue
            turns.append(owner)
        }
        if turnHead >= 64, turnHead * 2 >= turns.count {
            turns.removeFirst(turnHead)
            turnHead = 0
        }
        return (owner, element)
    }
}

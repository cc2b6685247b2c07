package import APNS

/// Admits one push at a time for each collapse id.
///
/// A device shows the id's last push, but two in flight may arrive in either order: HTTP/2 processes streams side by
/// side, and a lost connection's pushes move.
package struct CollapseOrder<Waiting: Sendable>: Sendable {
    /// Collapse id's hash. Keys that collide wait for each other: no loss.
    package struct Key: Hashable, Sendable {
        let value: Int

        /// The seed of Swift's hashes is random in each process.
        package init(_ collapseID: CollapseID) { value = collapseID.hashValue }

        init(value: Int) { self.value = value }
    }

    /// Limit of all waiting elements.
    private let countMax: Int
    private var onTheWay: Set<Key> = []
    private var behind: [Key: [Waiting]] = [:]
    package private(set) var count = 0

    package init(countMax: Int) { self.countMax = countMax }

    /// - Returns: true if it may go; then `end` must follow.
    package mutating func begin(_ key: Key) -> Bool { onTheWay.insert(key).inserted }

    /// - Returns: false without room to wait.
    package mutating func wait(_ waiting: Waiting, behind key: Key) -> Bool {
        guard count < countMax else { return false }
        count += 1
        behind[key, default: []].append(waiting)
        return true
    }

    /// - Returns: all that waited. Each begins anew, as the first may be blocked.
    package mutating func end(_ key: Key) -> [Waiting] {
        onTheWay.remove(key)
        guard count > 0, let list = behind.removeValue(forKey: key) else { return [] }
        count -= list.count
        return list
    }

    /// In no order.
    package mutating func remove(where isOver: (Waiting) -> Bool) -> [Waiting] {
        guard count > 0 else { return [] }
        var removed: [Waiting] = []
        for (key, list) in behind {
            let rest = list.filter { !isOver($0) }
            guard rest.count < list.count else { continue }
            removed += list.filter(isOver)
            behind[key] = rest.isEmpty ? nil : rest
        }
        count -= removed.count
        return removed
    }
}

package import APNS

/// One at a time on the way to APNs, of all that replace each other on one device.
///
/// A device shows what came last of a collapse id. Two pushes that are on their way together may come in either order (the
/// streams of HTTP/2 are processed side by side, and a connection that ends sends its pushes over another one), so a newer
/// one waits until the older is answered.
///
/// A value, in two sets: what replaces nobody costs nothing, everything else one look when it begins and one when it ends.
package struct CollapseOrder<Waiting: Sendable>: Sendable {
    /// What replaces each other, as a hash: no device and no word is in it. Two with one value wait for each other, which
    /// slows them down and loses nothing.
    package struct Key: Hashable, Sendable {
        let value: Int

        /// A collapse id is of one device alone (`CollapseKey`). The seed of Swift's hashes is the process's own.
        package init(_ collapseID: CollapseID) { value = collapseID.hashValue }

        init(value: Int) { self.value = value }
    }

    /// So many wait at most, of all keys.
    private let countMax: Int
    private var onTheWay: Set<Key> = []
    private var behind: [Key: [Waiting]] = [:]
    /// How many wait.
    package private(set) var count = 0

    package init(countMax: Int) { self.countMax = countMax }

    /// - Returns: whether it may go; then `end` follows. false: one is on its way.
    package mutating func begin(_ key: Key) -> Bool { onTheWay.insert(key).inserted }

    /// It waits until the one that is on its way has ended.
    ///
    /// - Parameters:
    ///   - waiting: who.
    ///   - key: one for which `begin` said no.
    /// - Returns: false when there is no room to wait in.
    package mutating func wait(_ waiting: Waiting, behind key: Key) -> Bool {
        guard count < countMax else { return false }
        count += 1
        behind[key, default: []].append(waiting)
        return true
    }

    /// The one that was on its way is answered, or does not go.
    ///
    /// - Returns: all that waited for it, who are to begin as any others: the one that is first may be kept by something
    ///   else, and must not keep the rest.
    package mutating func end(_ key: Key) -> [Waiting] {
        onTheWay.remove(key)
        guard count > 0, let list = behind.removeValue(forKey: key) else { return [] }
        count -= list.count
        return list
    }

    /// - Returns: those that wait no longer, in no order.
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

/// Capacity shared by owners: `aloneMax` for one alone, and always room for the next.
///
/// - Source: Choudhury and Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches" (1998), factor
///   1/2.
struct SharedSlots<Owner: Hashable & Sendable>: Sendable {
    private var counts: [Owner: Int] = [:]
    private(set) var total = 0

    /// An owner may have half of what is free of three times `aloneMax`.
    static func hasRoom(for count: Int, own: Int, total: Int, aloneMax: Int) -> Bool {
        2 * (own + count) <= 3 * aloneMax - total - count
    }

    var owners: some Collection<Owner> { counts.keys }

    subscript(owner: Owner) -> Int { counts[owner, default: 0] }

    func hasRoom(for owner: Owner, aloneMax: Int) -> Bool {
        Self.hasRoom(for: 1, own: self[owner], total: total, aloneMax: aloneMax)
    }

    /// True if there is no room even for a new owner.
    func isFull(aloneMax: Int) -> Bool { !Self.hasRoom(for: 1, own: 0, total: total, aloneMax: aloneMax) }

    mutating func take(_ count: Int = 1, for owner: Owner) {
        counts[owner, default: 0] += count
        total += count
    }

    mutating func giveBack(_ count: Int = 1, of owner: Owner) {
        guard let index = counts.index(forKey: owner), counts.values[index] >= count else {
            preconditionFailure("More slots are given back than an owner has.")
        }
        total -= count
        // One search of the table: each request takes and gives back.
        if counts.values[index] == count { counts.remove(at: index) } else { counts.values[index] -= count }
    }
}

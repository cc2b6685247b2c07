/// Waiting pushes, first in, first out.
///
/// Not `RingBuffer`: a generic of another module is not specialised here, and costs a type lookup for every push.
struct DeliveryQueue {
    struct Entry {
        var slot: Int
        var id: UInt64
    }

    /// Power of two of them, or none.
    private var entries: [Entry] = []
    private var head = 0
    private var count = 0

    var first: Entry? { count > 0 ? entries[head] : nil }

    mutating func append(_ entry: Entry) {
        if count == entries.count { grow() }
        entries[(head + count) & (entries.count - 1)] = entry
        count += 1
    }

    mutating func prepend(_ entry: Entry) {
        if count == entries.count { grow() }
        head = (head + entries.count - 1) & (entries.count - 1)
        entries[head] = entry
        count += 1
    }

    mutating func popFirst() -> Entry? {
        guard let entry = first else { return nil }
        head = (head + 1) & (entries.count - 1)
        count -= 1
        return entry
    }

    private mutating func grow() {
        let ordered = Array(entries[head...] + entries[..<head])
        entries = ordered + Array(repeating: Entry(slot: 0, id: 0), count: max(16, ordered.count))
        head = 0
    }
}

/// Heap of wake-up times. Outdated entries stay; the owner detects them.
struct WakeUps {
    private struct Entry {
        let time: Int64
        let installation: UInt32
    }

    private var heap: [Entry] = []

    /// With outdated ones.
    var count: Int { heap.count }

    var next: Int64? { heap.first?.time }

    mutating func insert(_ installation: UInt32, at time: Int64) {
        heap.append(Entry(time: time, installation: installation))
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].time < heap[parent].time else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    mutating func pop(at now: Int64) -> UInt32? {
        guard let first = heap.first, first.time <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first.installation }
        heap[0] = last
        var index = 0
        while true {
            let (left, right) = (2 * index + 1, 2 * index + 2)
            var least = index
            if left < heap.count, heap[left].time < heap[least].time { least = left }
            if right < heap.count, heap[right].time < heap[least].time { least = right }
            guard least != index else { return first.installation }
            heap.swapAt(index, least)
            index = least
        }
    }

    mutating func removeAll() { heap.removeAll() }
}

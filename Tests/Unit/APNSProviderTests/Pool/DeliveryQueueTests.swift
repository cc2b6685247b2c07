import Testing

@testable import APNSProvider

struct DeliveryQueueTests {
    private static func entry(_ number: Int) -> DeliveryQueue.Entry {
        DeliveryQueue.Entry(slot: number, id: UInt64(number))
    }

    private static func drain(_ queue: inout DeliveryQueue) -> [Int] {
        var slots: [Int] = []
        while let entry = queue.popFirst() { slots.append(entry.slot) }
        return slots
    }

    @Test func `what came first leaves first, through every turn of the ring`() {
        var queue = DeliveryQueue()
        var (next, left) = (0, 0)
        for round in 1...200 {
            for _ in 0..<round % 7 {
                queue.append(Self.entry(next))
                next += 1
            }
            for _ in 0..<round % 5 {
                guard let entry = queue.popFirst() else { break }
                #expect(entry.slot == left)
                left += 1
            }
        }
        #expect(queue.first?.slot == left)
        #expect(Self.drain(&queue) == Array(left..<next))
        #expect(queue.first?.slot == nil && queue.popFirst()?.slot == nil)
    }

    @Test func `what goes back is before all others, also in a full and in an empty ring`() {
        var queue = DeliveryQueue()
        queue.prepend(Self.entry(1))
        for number in 2...16 { queue.append(Self.entry(number)) }
        queue.prepend(Self.entry(0))
        #expect(Self.drain(&queue) == Array(0...16))
    }
}

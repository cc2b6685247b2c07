import TestSupport
import Testing

@testable import Networking

@Suite struct ByteQueueTests {
    @Test func `bytes leave in the order they came, whatever the pieces`() {
        let seed = RunSeed.here()
        var generator = SeededGenerator(seed: seed)
        var queue = ByteQueue()
        var appended: [UInt8] = []
        var removed: [UInt8] = []
        for _ in 0..<2000 {
            let piece = (0..<Int.random(in: 0...700, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            queue.append(piece.span)
            appended += piece
            let count = Int.random(in: 0...queue.byteCount, using: &generator)
            removed += queue.withBytes { Array(copying: $0.extracting(first: count)) }
            queue.removeFirst(count)
        }
        removed += queue.takeAll()
        #expect(removed == appended, "seed \(seed)")
        let isEmpty = queue.isEmpty
        #expect(isEmpty)
    }
}

@Suite struct RingBufferTests {
    @Test func `what is taken out leaves the rest in order`() {
        var ring = RingBuffer<Int>()
        for number in 0..<20 { ring.append(number) }
        for number in 0..<5 {
            let first = ring.popFirst()
            #expect(first == number)
        }
        for number in 20..<40 { ring.append(number) }
        let even = ring.removeAll { $0 % 2 == 0 }
        #expect(even == Array(stride(from: 6, to: 40, by: 2)))
        var rest: [Int] = []
        while let number = ring.popFirst() { rest.append(number) }
        #expect(rest == Array(stride(from: 5, to: 40, by: 2)))
        #expect(ring.isEmpty)
    }
}

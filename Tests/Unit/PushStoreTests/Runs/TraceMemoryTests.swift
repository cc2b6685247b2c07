import TestSupport
import Testing

@testable import PushStore

struct TraceMemoryTests {
    @Test func `it finds what a look at each pair finds, the newest first`() {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        var memory = TraceMemory()
        var pairs: [TracePair] = []
        #expect(memory.entries(1).isEmpty)
        for round in 0..<200 {
            let more = (0..<random.next() % 40).map { _ in
                TracePair(
                    hash: Int64(bitPattern: random.next() % 500 &* 0x9E37_79B9_7F4A_7C15),
                    entry: Int64(random.next() >> 1)
                )
            }
            memory.append(more)
            pairs += more
            if round % 50 == 49 {
                memory.removeAll()
                pairs = []
            }
            guard round % 10 == 8 else { continue }
            for number: UInt64 in 0..<510 {
                let hash = Int64(bitPattern: number &* 0x9E37_79B9_7F4A_7C15)
                let expected = pairs.filter { $0.hash == hash }.map(\.entry).reversed() as [Int64]
                guard memory.entries(hash) == expected, memory.entries(hash, limit: 2) == Array(expected.prefix(2))
                else {
                    Issue.record("seed \(seed), round \(round), hash \(number)")
                    return
                }
            }
            #expect(memory.pairs == pairs)
        }
    }
}

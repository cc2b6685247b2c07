import TestSupport
import Testing

@testable import PushService

struct SharedSlotsTests {
    @Test func `an owner that is alone may have as many as that, and leaves room for others`() {
        var places = SharedSlots<Int>()
        while places.hasRoom(for: 1, aloneMax: 500) { places.take(for: 1) }
        #expect(places[1] == 500)
        while places.hasRoom(for: 2, aloneMax: 500) { places.take(for: 2) }
        #expect(places[2] == 333)
        while places.hasRoom(for: 3, aloneMax: 500) { places.take(for: 3) }
        #expect(places[3] == 222 && !places.isFull(aloneMax: 500))
    }

    @Test func `they never have three times as many, and owners that all want more come to have as many`() {
        var random = SeededRandom(seed: 41)
        for _ in 0..<50 {
            var places = SharedSlots<Int>()
            let aloneMax = Int.random(in: 16...600, using: &random)
            let owners = 0..<Int.random(in: 2...9, using: &random)
            for step in 0..<40_000 {
                let owner = Int.random(in: owners, using: &random)
                // Each wants more than its share, and places come back.
                if step % 3 > 0 || places[owner] == 0 {
                    if places.hasRoom(for: owner, aloneMax: aloneMax) { places.take(for: owner) }
                } else {
                    places.giveBack(of: owner)
                }
            }
            #expect(places.total < 3 * aloneMax)
            let fair = 3 * aloneMax / (owners.count + 2)
            let counts = owners.map { places[$0] }
            #expect(counts.allSatisfy { abs($0 - fair) <= fair / 2 + 4 }, "\(counts), and not \(fair)")
        }
    }
}

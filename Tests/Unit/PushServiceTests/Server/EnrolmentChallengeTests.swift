import Envelope
import Primitives
import TestSupport
import Testing

@testable import PushService

struct EnrolmentChallengeTests {
    @Test func `of twenty thousand forged codes none is a challenge's, nor one with a changed bit`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let key = ChallengeKey()
        let now = ServerStage.start
        let keyHash = random.bytes(count: 32)
        let challenge = key.make(for: keyHash, now: now, random: &random)
        #expect(key.read(challenge.bytes, for: keyHash, now: now) == challenge)
        let head = Array(challenge.bytes.prefix(16))
        let forgedCount = (0..<20_000).count { _ in
            key.read(head + random.bytes(count: 16), for: keyHash, now: now) != nil
        }
        #expect(forgedCount == 0, "seed \(seed)")
        for bit in 0..<256 {
            var changed = challenge.bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(key.read(changed, for: keyHash, now: now) == nil, "seed \(seed), bit \(bit)")
        }
        let foreignCount = (0..<2_000).count { _ in
            key.read(challenge.bytes, for: random.bytes(count: 32), now: now) != nil
        }
        #expect(foreignCount == 0, "seed \(seed)")
    }
}

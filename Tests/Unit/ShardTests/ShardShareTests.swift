import Envelope
import PushStore
import TestSupport
import Testing

/// Decisions of many relays about shards, with a model of the lease table and a clock that the test moves.
struct ShardShareTests {
    @Test(arguments: 1...200)
    func `the shares of all relays have room for every shard, and none has two more than another needs`(_ count: Int) {
        let share = ShardSurvey(free: .none, relayCount: count).share
        #expect(share * count >= Shard.count)
        #expect((share - 1) * count < Shard.count)
    }

    @Test func `a relay wants free shards alone, up to its share, and gives back what is beyond it`() {
        let relay = RelayID(high: 9 << 56, low: 0)
        let free = ShardSet(Shard.all.prefix(40))
        let survey = ShardSurvey(free: free, relayCount: 4)
        let owned = ShardSet(Shard.all.suffix(6))
        let wanted = survey.wanted(by: relay, owning: owned)
        #expect(wanted.count == 10)
        #expect(wanted.subtracting(free).isEmpty)
        #expect(survey.surplus(of: owned).isEmpty)
        #expect(survey.surplus(of: .all).count == 48)
        #expect(survey.wanted(by: relay, owning: .all).isEmpty)
    }

    @Test(arguments: 1...5, [(relays: 3, kills: 1), (100, 3)])
    func `each shard of a dead relay has an owner within ten seconds (seed)`(
        _ seed: Int,
        _ load: (relays: Int, kills: Int)
    ) {
        var run = ShareRun(relayCount: load.relays, random: SeededRandom(seed: 0x5A_4E00 + UInt64(seed)))
        run.settle()
        #expect(run.unownedCount == 0)
        #expect(run.counts.max() == (Shard.count + load.relays - 1) / load.relays)
        for _ in 0..<20 {
            run.killOwners(count: load.kills)
            run.settle()
            for _ in 0..<load.kills { run.start() }
            run.settle()
        }
        #expect(run.longestTakeover <= 10_000, "a shard had no living owner for \(run.longestTakeover) ms")
        #expect(run.unownedCount == 0)
    }

    @Test(arguments: 1...5)
    func `relays that start one after the other end with equal shares (seed)`(_ seed: Int) {
        var run = ShareRun(relayCount: 1, random: SeededRandom(seed: 0x5A_4F00 + UInt64(seed)))
        run.settle()
        for count in 2...9 {
            run.start()
            run.settle()
            #expect(run.unownedCount == 0)
            let share = (Shard.count + count - 1) / count
            #expect(run.counts.allSatisfy { $0 <= share }, "\(count) relays: \(run.counts)")
        }
    }
}

/// Lease table and relays, each of which renews its leases at its own time and looks at the others a little later, as a
/// busy database answers.
private struct ShareRun {
    private static let term = 6_500
    private static let seenTerm = 4_500
    private static let interval = 1_500
    private static let lagMax = 2_000

    private struct Row {
        var owner: Int?
        var until = 0
        /// Since when no living relay has it.
        var orphaned: Int? = 0
    }

    private struct Relay {
        let id: RelayID
        var nextRenewal: Int
        var nextLook = Int.max
        var isAlive = true
        var seenUntil = 0
    }

    private var random: SeededRandom
    private var rows = [Row](repeating: Row(), count: Shard.count)
    private var relays: [Relay] = []
    private var now = 0
    private(set) var longestTakeover = 0

    init(relayCount: Int, random: SeededRandom) {
        self.random = random
        for _ in 0..<relayCount { start() }
        // All know of each other from the first look.
        for index in relays.indices { relays[index].seenUntil = Self.term }
    }

    var counts: [Int] {
        relays.indices.filter { relays[$0].isAlive }.map { index in rows.count { $0.owner == index } }
    }

    var unownedCount: Int { rows.count { $0.orphaned != nil } }

    mutating func start() {
        let next = now + Int.random(in: 0..<Self.interval, using: &random)
        relays.append(Relay(id: RelayID(high: random.next(), low: 0), nextRenewal: next))
    }

    mutating func killOwners(count: Int) {
        for _ in 0..<count {
            let owners = relays.indices.filter { index in relays[index].isAlive && rows.contains { $0.owner == index } }
            let index = owners[Int.random(in: 0..<owners.count, using: &random)]
            relays[index].isAlive = false
            for shard in rows.indices where rows[shard].owner == index { rows[shard].orphaned = now }
        }
    }

    /// Half a minute.
    mutating func settle() {
        let end = now + 30_000
        while now < end {
            now += 50
            for index in relays.indices where relays[index].isAlive {
                if relays[index].nextRenewal <= now { renew(index) }
                if relays[index].nextLook <= now { look(index) }
            }
        }
    }

    private mutating func renew(_ index: Int) {
        let lag = Int.random(in: 0..<Self.lagMax, using: &random)
        (relays[index].nextRenewal, relays[index].nextLook) = (.max, now + lag)
        for shard in rows.indices where rows[shard].owner == index { rows[shard].until = now + Self.term }
    }

    private mutating func look(_ index: Int) {
        (relays[index].nextRenewal, relays[index].nextLook) = (now + Self.interval, .max)
        relays[index].seenUntil = now + Self.seenTerm
        let free = ShardSet(Shard.all.filter { rows[$0.index].owner == nil || rows[$0.index].until <= now })
        let survey = ShardSurvey(free: free, relayCount: relays.count { $0.seenUntil > now })
        let owned = ShardSet(Shard.all.filter { rows[$0.index].owner == index })
        for shard in survey.surplus(of: owned).shards { rows[shard.index] = Row(owner: nil, orphaned: now) }
        for shard in survey.wanted(by: relays[index].id, owning: owned).shards {
            if let orphaned = rows[shard.index].orphaned, now > 30_000 {
                longestTakeover = max(longestTakeover, now - orphaned)
            }
            rows[shard.index] = Row(owner: index, until: now + Self.term, orphaned: nil)
        }
    }
}

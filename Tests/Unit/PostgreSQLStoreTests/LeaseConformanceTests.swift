import Envelope
import PostgreSQL
import PostgreSQLServers
import PostgreSQLStore
import PushStore
import TestSupport
import Testing

/// The rules of leases, on both engines, against one model of them.
@Suite(.needsServer)
struct LeaseConformanceTests {
    @Test(arguments: LeaseEngineKind.allCases, 1...4)
    func `three relays that take, renew and give back at random get what the rules say (engine, seed)`(
        _ kind: LeaseEngineKind,
        _ seed: Int
    ) async throws {
        let engine = try await kind.make()
        var run = LeaseRun(engine, seed: UInt64(seed))
        for _ in 0..<150 { try await run.step() }
        await engine.close()
    }

    @Test(arguments: LeaseEngineKind.allCases)
    func `a shard is free when its lease has ended, and no millisecond before, in each engine`(_ kind: LeaseEngineKind)
        async throws
    {
        let engine = try await kind.make()
        let (first, second) = (RelayID(high: 1, low: 0), RelayID(high: 2, low: 0))
        let leases = try await engine.acquire(.all, for: first)
        #expect(leases.shards == .all)
        try await engine.advance(milliseconds: 29_999)
        #expect(try await engine.acquire(.all, for: second).isEmpty)
        try await engine.advance(milliseconds: 1)
        #expect(try await engine.acquire(.all, for: second).shards == .all)
        #expect(try await engine.renew(leases) == .all)
        await engine.close()
    }

    @Test(arguments: LeaseEngineKind.allCases)
    func `relays that take all shards at the same time get each one once`(_ kind: LeaseEngineKind) async throws {
        let engine = try await kind.make()
        let taken = try await withThrowingTaskGroup(of: ShardLeases.self) { group in
            for number in 1...6 as ClosedRange<UInt64> {
                group.addTask { try await engine.acquire(.all, for: RelayID(high: number, low: 0)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(taken.reduce(0) { $0 + $1.shards.count } == Shard.count)
        #expect(taken.reduce(into: Set<Shard>()) { $0.formUnion($1.shards.shards) }.count == Shard.count)
        await engine.close()
    }
}

/// A model of the rules, beside the engine.
private struct LeaseRun {
    private struct Row {
        var owner: RelayID?
        var epoch: Int64
        var until: Int64 = 0
    }

    private let engine: any LeaseEngine
    private var random: SeededRandom
    private var rows: [Row]
    private var now: Int64 = 0
    /// Each relay's leases as it believes, those that it lost among them.
    private var held = (1...3).map { ShardLeases(relay: RelayID(high: $0, low: 7)) }

    init(_ engine: any LeaseEngine, seed: UInt64) {
        self.engine = engine
        random = SeededRandom(seed: 0x1EA5_0000 + seed)
        rows = [Row](repeating: Row(epoch: engine.firstEpoch), count: Shard.count)
    }

    mutating func step() async throws {
        let index = Int.random(in: 0..<held.count, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            let milliseconds = [1, 9_999, 30_000].randomElement(using: &random) ?? 1
            now += Int64(milliseconds)
            try await engine.advance(milliseconds: Int64(milliseconds))
        case 1: try await giveBack(index)
        case 2...4: try await renew(index)
        default: try await acquire(index)
        }
    }

    private mutating func some() -> ShardSet {
        ShardSet(Shard.all.filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
    }

    private mutating func acquire(_ index: Int) async throws {
        let (wanted, relay) = (some(), held[index].relay)
        var expected = ShardLeases(relay: relay)
        for shard in wanted.shards {
            let row = rows[shard.index]
            guard row.owner == nil || row.owner == relay || row.until <= now else { continue }
            rows[shard.index] = Row(owner: relay, epoch: row.epoch + 1, until: now + 30_000)
            expected.add(ShardLease(shard: shard, epoch: row.epoch + 1))
        }
        let taken = try await engine.acquire(wanted, for: relay)
        #expect(taken == expected)
        for lease in taken.all { held[index].add(lease) }
    }

    private func isNewest(_ lease: ShardLease, of relay: RelayID) -> Bool {
        rows[lease.shard.index].owner == relay && rows[lease.shard.index].epoch == lease.epoch
    }

    private mutating func renew(_ index: Int) async throws {
        let leases = held[index]
        let lost = ShardSet(leases.all.filter { !isNewest($0, of: leases.relay) }.map(\.shard))
        for lease in leases.all where isNewest(lease, of: leases.relay) { rows[lease.shard.index].until = now + 30_000 }
        #expect(try await engine.renew(leases) == lost)
    }

    private mutating func giveBack(_ index: Int) async throws {
        let leases = held[index].only(some())
        for lease in leases.all where isNewest(lease, of: leases.relay) {
            rows[lease.shard.index] = Row(epoch: lease.epoch)
        }
        try await engine.giveBack(leases)
    }
}

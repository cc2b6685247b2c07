import Envelope
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// Three relays on one store, stopped, revived and killed at any step. A revived one acts as if nothing had happened.
struct RelayRunTests {
    @Test(arguments: ShardEngine.seeds)
    func `no two relays act on a shard, nothing is lost, and what is in flight is its owner's (engine, seed)`(
        _ engine: ShardEngine,
        _ seed: Int
    ) async throws {
        var run = try await RelayRun(engine, seed: UInt64(seed))
        _ = try await run.stage.store.renew(run.stage.opener, lasting: ShardStage.term)
        for _ in 0..<400 { try await run.step() }
        try await run.end()
        await run.stage.close()
    }
}

private struct RelayRun {
    private struct Relay {
        var number: UInt8
        var leases: ShardLeases
        var isStopped = false
        var taken: [LeasedEntry] = []
        var sending: [Lease] = []
    }

    let stage: ShardStage
    private var random: SeededRandom
    private var relays: [Relay] = []
    /// By the answers of the store alone.
    private var owners: [Shard: ShardLease] = [:]
    /// By entry: the lease under which it is in flight.
    private var inFlight: [EntryID: ShardLease] = [:]
    private var stored: [EntryID] = []
    private var collapsible: Set<EntryID> = []
    private var lastNumber: UInt64 = 0
    private var lastRelay: UInt8 = 1

    init(_ engine: ShardEngine, seed: UInt64) async throws {
        stage = try await ShardStage(engine)
        random = SeededRandom(seed: 0x5EED_0000 + seed)
        relays = [Relay(number: 1, leases: stage.opener)]
        for lease in stage.opener.all { owners[lease.shard] = lease }
        for _ in 0..<2 { addRelay() }
    }

    private mutating func addRelay() {
        lastRelay += 1
        relays.append(Relay(number: lastRelay, leases: ShardLeases(relay: ShardStage.relay(lastRelay))))
    }

    mutating func step() async throws {
        let index = Int.random(in: 0..<relays.count, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0: relays[index].isStopped = true
        case 1: relays[index].isStopped = false
        case 2 where Int.random(in: 0..<4, using: &random) == 0:
            relays.remove(at: index)
            addRelay()
        case 3: try await stage.advance(milliseconds: Int64.random(in: 1...20_000, using: &random))
        case 4...6: try await enqueue()
        default:
            guard !relays[index].isStopped else { return }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: try await keep(index)
            case 1: try await hand(index)
            case 2: relays[index].taken += try await stage.take(by: relays[index].leases, limit: 8)
            case 3: try await mark(index)
            default: try await finish(index)
            }
        }
    }

    private mutating func entries() throws -> [NewEntry] {
        try (0..<Int.random(in: 1...4, using: &random)).map { _ in
            lastNumber += 1
            return try StorePattern.entry(lastNumber)
        }
    }

    private mutating func note(_ ids: [EntryID], _ entries: [NewEntry]) {
        for (id, entry) in zip(ids, entries) where entry.collapseID != nil { collapsible.insert(id) }
        stored += ids
    }

    private mutating func enqueue() async throws {
        let entries = try entries()
        note(try await stage.enqueue(entries), entries)
    }

    private mutating func keep(_ index: Int) async throws {
        let lost = try await stage.store.renew(relays[index].leases, lasting: ShardStage.term)
        for shard in lost.shards {
            guard let lease = relays[index].leases[shard] else { continue }
            #expect(owners[shard] != lease, "\(shard.index) is lost, and no other relay took it")
            relays[index].leases.remove(lease)
        }
        // As if each relay had a third.
        let wanted = ShardSet(Shard.all.filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
        let taken = try await stage.acquire(wanted.subtracting(relays[index].leases.shards), for: relays[index].number)
        var interruptedCount = 0
        for lease in taken.leases.all {
            relays[index].leases.add(lease)
            owners[lease.shard] = lease
        }
        for (id, lease) in inFlight {
            let state = try await stage.states([id])[0]
            if owners[id.shard] == lease {
                #expect(state == .sending, "in flight, and its shard is owned")
            } else {
                interruptedCount += 1
                inFlight[id] = nil
                #expect(state == (collapsible.contains(id) ? .queued : .dead(.outcomeUnknown)))
            }
        }
        #expect(taken.interruptedCount == interruptedCount)
    }

    private mutating func hand(_ index: Int) async throws {
        let entries = try entries()
        switch try await stage.enqueueSending(entries, by: relays[index].leases) {
        case .sending(let leases):
            note(leases.map(\.id), entries)
            for lease in leases { fly(lease) }
            relays[index].sending += leases
        case .enqueued(.stored(let ids)): note(ids, entries)
        case .enqueued: Issue.record("no request has a key")
        }
    }

    private mutating func fly(_ lease: Lease) {
        #expect(owners[lease.id.shard] == lease.shardLease, "a late owner sends")
        #expect(inFlight.updateValue(lease.shardLease, forKey: lease.id) == nil, "two relays send it")
    }

    private mutating func mark(_ index: Int) async throws {
        let leases = relays[index].taken.map(\.lease)
        relays[index].taken = []
        for (lease, result) in zip(leases, try await stage.store.markSending(leases, now: .after(0))) {
            let isOwned = owners[lease.id.shard] == lease.shardLease
            #expect(isOwned ? result != .lateOwner : result == .lateOwner || result == .lost)
            guard result == .sending else { continue }
            fly(lease)
            relays[index].sending.append(lease)
        }
    }

    private mutating func finish(_ index: Int) async throws {
        guard !relays[index].sending.isEmpty else { return }
        let verdicts: [Verdict] = [.accepted, .accepted, .retry(at: .after(0)), .park, .dead(.rejected)]
        let place = Int.random(in: 0..<relays[index].sending.count, using: &random)
        let lease = relays[index].sending.remove(at: place)
        let result = try await stage.finish(lease, verdicts[Int.random(in: 0..<verdicts.count, using: &random)])
        if owners[lease.id.shard] == lease.shardLease {
            #expect(inFlight.removeValue(forKey: lease.id) == lease.shardLease)
            guard case .recorded = result else {
                Issue.record("an owner's outcome is refused: \(result)")
                return
            }
        } else {
            #expect(result == .lateOwner)
        }
    }

    /// One relay takes all over, and sends what is left.
    mutating func end() async throws {
        try await stage.advance(milliseconds: 60_000)
        let last = try await stage.acquire(.all, for: 255).leases
        #expect(last.shards == .all)
        #expect(Set(stored).count == stored.count, "an id is used twice")
        while true {
            let (tenant, topic) = (stage.tenant, try StorePattern.topic())
            _ = try await stage.store.release(tenant: tenant, topic: topic, limit: 9_999, by: last, now: .after(0))
            let sent = try await stage.send(by: last)
            if sent.isEmpty { break }
            for one in sent { #expect(try await stage.finish(one.lease, .accepted) == .recorded(.accepted)) }
        }
        for state in try await stage.states(stored) { #expect(state?.isFinal == true) }
        #expect(try await stage.contradictions() == [])
    }
}

import APNS
import Envelope
import Networking
import Platform
import PushStorePattern
import ServiceParts
import TestSupport
import Testing

@testable import APNSSimulator
@testable import PushService
@testable import PushStore

/// Two dispatchers on one store, each on a loop of its own, stopped, revived and killed at any step, and a simulator as
/// APNs. A revived one goes on as if nothing had happened.
struct TwoRelayRunTests {
    @Test(arguments: 1...6)
    func `nothing is lost, what comes twice is marked, and no group ends with an older push (seed)`(_ seed: Int)
        async throws
    {
        let run = try await RelayRun(seed: UInt64(seed))
        for _ in 0..<150 { try await run.step() }
        try await run.end()
    }
}

private final class RelayRun {
    private static let deviceCount = 5

    private let site: DispatchSite
    private let store: SQLiteStore
    private let leases = Guarded<Int64>(1_000)
    private var random: SeededRandom
    private var relays: [Relay] = []
    private var dead: [Relay] = []
    private var lastRelay: UInt64 = 1
    private var lastNumber: UInt64 = 0
    /// Stored entries, and the newest epoch of their shards then.
    private var stored: [(id: EntryID, entry: NewEntry, epoch: Int64)] = []

    init(seed: UInt64) async throws {
        let site = try await DispatchSite()
        var settings = StoreSettings()
        settings.leaseClock = { [leases] in leases.withLock { $0 } }
        self.site = site
        random = SeededRandom(seed: 0x2E1A_0000 + seed)
        store = try SQLiteStore(
            path: site.folder.path("store.sqlite"),
            key: try StorePattern.key(),
            settings: settings,
            now: site.clock.now
        )
        for number in 0..<Self.deviceCount { try await site.register("d\(number)", store) }
        relays.append(try await start(store.openingReport.leases))
        relays.append(try await startNext())
        for relay in relays { await relay.keep() }
    }

    private func startNext() async throws -> Relay {
        lastRelay += 1
        return try await start(ShardLeases(relay: RelayID(high: lastRelay, low: lastRelay)))
    }

    private func start(_ owned: ShardLeases) async throws -> Relay {
        let tenure = ShardTenure(owned) { [leases] in leases.withLock { $0 } }
        let relay = try Relay(site, store, tenure)
        try await relay.dispatcher.start(try site.plan())
        return relay
    }

    private func advance(seconds: ClosedRange<Int64>) {
        let time = Int64.random(in: seconds, using: &random)
        leases.withLock { $0 += 1_000 * time }
    }

    /// A running relay; nil if none runs.
    private func anyRunning() -> Relay? { relays.filter { !$0.isStopped }.randomElement(using: &random) }

    func step() async throws {
        let index = Int.random(in: 0..<relays.count, using: &random)
        let relay = relays[index]
        switch Int.random(in: 0..<20, using: &random) {
        case 0: relay.stop()
        case 1, 2: relay.revive()
        case 3 where Int.random(in: 0..<4, using: &random) == 0:
            relay.stop()
            dead.append(relay)
            relays[index] = try await startNext()
        case 4, 5: advance(seconds: 1...20)
        case 6, 7: await anyRunning()?.keep()
        case 8, 9:
            site.clock.advance(milliseconds: 500)
            await anyRunning()?.wake()
        default: try await submit()
        }
    }

    // MARK: Submissions

    private func makeEntry() throws -> NewEntry {
        lastNumber += 1
        let device = Int.random(in: 0..<Self.deviceCount, using: &random)
        var entry = try site.entry(lastNumber, to: "d\(device)")
        switch Int.random(in: 0..<4, using: &random) {
        case 0: entry.collapseID = nil
        case 1: break
        default: entry.collapseID = try CollapseID("group of d\(device)")
        }
        return entry
    }

    private func submit() async throws {
        guard let relay = anyRunning() else { return }
        let entry = try makeEntry()
        guard case .found(let device)? = try await site.lookup(entry.device.text, store) else {
            throw StoreError.closed
        }
        let offer = SendOffer(
            tenant: site.tenant,
            entries: [entry],
            devices: [device],
            bundleID: .named(DispatchSite.bundleID),
            now: site.clock.now
        )
        let request = try OutboxRequest(tenant: site.tenant, idempotency: nil, entries: [entry])
        let epoch = newestEpoch(Shard(tenant: site.tenant, device: entry.device))
        let owned = relay.shards.live
        let reservation = await relay.loop.run { relay.dispatcher.reserve(offer) }
        // Another may take its shards over between the check of its leases and its write.
        if Int.random(in: 0..<6, using: &random) == 0 {
            relay.stop()
            advance(seconds: 20...40)
            await anyRunning()?.keep()
        }
        guard let reservation else {
            guard case .stored(let ids) = try await store.enqueue([request], from: owned.relay, now: offer.now)[0]
            else { throw StoreError.closed }
            stored.append((ids[0], entry, epoch))
            return relay.loop.perform { relay.dispatcher.wake([entry.lane]) }
        }
        switch try await store.enqueueSending([request], by: owned, now: offer.now)[0] {
        case .sending(let sent):
            stored.append((sent[0].id, entry, epoch))
            relay.loop.perform { relay.dispatcher.didStore(reservation, sent) }
        case .enqueued(.stored(let ids)):
            stored.append((ids[0], entry, epoch))
            relay.loop.perform {
                relay.dispatcher.didNotStore(reservation)
                relay.dispatcher.wake([entry.lane])
            }
        case .enqueued: throw StoreError.closed
        }
    }

    private func newestEpoch(_ shard: Shard) -> Int64 {
        (relays + dead).compactMap { $0.shards.all[shard]?.epoch }.max() ?? 0
    }

    // MARK: The end

    /// Revives all but the dead, which are replaced, and checks what became of every notification.
    func end() async throws {
        for relay in relays { relay.revive() }
        leases.withLock { $0 += 60_000 }
        let tenant = site.tenant
        let ids = stored.map(\.id)
        while try await !store.entries(ids, tenant: tenant).allSatisfy({ $0?.state.isFinal == true }) {
            for relay in relays {
                await relay.keep()
                await relay.wake()
            }
            // What waits for a time waits for it no longer.
            if await relays[0].isIdle(), await relays[1].isIdle() { site.clock.advance(milliseconds: 1_000) }
            await Task.yield()
        }
        for relay in relays { await relay.dispatcher.drain(within: .seconds(600)) }
        try await check()
        for relay in dead {
            relay.revive()
            await relay.dispatcher.drain(within: .seconds(600))
        }
        #expect(try await store.integrityReport() == [])
        await store.close()
    }

    private func check() async throws {
        #expect(Set(stored.map(\.id)).count == stored.count, "an id is used twice")
        let pushes = site.events.pushes
        let entries = try await store.entries(stored.map(\.id), tenant: site.tenant)
        var groups: [CollapseID: [(id: APNSID, isVague: Bool)]] = [:]
        for (one, entry) in zip(stored, entries) {
            let entry = try #require(entry)
            let count = pushes.count { $0 == one.entry.apnsID }
            let isVague = entry.maybeDuplicate || entry.state == .dead(.outcomeUnknown)
            let isTakenOver = newestEpoch(one.id.shard) > one.epoch
            #expect(!isVague || isTakenOver, "\(one.id): in flight under an owner that goes on")
            #expect(count < 2 || entry.maybeDuplicate, "\(one.id): comes twice, without a mark")
            #expect(count < 2 || one.entry.collapseID != nil, "\(one.id): rings twice")
            switch entry.state {
            case .accepted: #expect(count > 0, "\(one.id): lost")
            case .dead(.outcomeUnknown): #expect(one.entry.collapseID == nil)
            case .dead(.superseded): #expect(one.entry.collapseID != nil)
            default: Issue.record("\(one.id): \(entry.state)")
            }
            if let group = one.entry.collapseID { groups[group, default: []].append((one.entry.apnsID, isVague)) }
        }
        for (group, members) in groups {
            // Ids rise in the order of storing.
            let last = try #require(members.last)
            let arrived = pushes.filter { push in members.contains { $0.id == push } }
            #expect(arrived.contains(last.id), "\(group): its newest is lost")
            let end = try #require(members.first { $0.id == arrived.last })
            // The exception: a relay that stood still between its check and its write. It is marked.
            #expect(end.id == last.id || end.isVague, "\(group): ends with an older push")
        }
    }
}

/// One process of the relay.
private final class Relay: Sendable {
    let loop: EventLoop
    let dispatcher: Dispatcher
    let shards: ShardTenure
    private let keeper: ShardKeeper
    private let gate = Monitored(false)

    init(_ site: DispatchSite, _ store: SQLiteStore, _ shards: ShardTenure) throws {
        let loop = try EventLoop()
        let dispatcher = try site.dispatcher(store, loop: loop, shards: shards)
        self.loop = loop
        self.dispatcher = dispatcher
        self.shards = shards
        keeper = ShardKeeper(dispatcher.context) { dispatcher.willTakeShards() }
    }

    deinit { loop.stopAnywhere() }

    var isStopped: Bool {
        gate.change { $0 }
    }

    /// Stands still, wherever it is, until it is revived.
    func stop() {
        gate.change { $0 = true }
        loop.perform { [gate] in gate.wait { $0 ? nil : () } }
    }

    func revive() { gate.change { $0 = false } }

    func keep() async {
        await Task(executorPreference: loop) { [keeper] in await keeper.keep() }.value
    }

    func wake() async {
        await loop.run { [dispatcher] in
            dispatcher.keepUp()
            dispatcher.wake(Set(PushStore.Lane.allCases))
        }
    }

    func isIdle() async -> Bool {
        await loop.run { [dispatcher] in dispatcher.flow.isIdle && dispatcher.callsUnderWay == 0 }
    }
}

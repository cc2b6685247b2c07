import Envelope
import Platform
import PostgreSQL
import PostgreSQLServers
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PostgreSQLStore

/// Servers killed while relays store, mark and finish.
@Suite(.needsServer)
struct ServerKillTests {
    @Test func `nothing that was acknowledged is lost, and nothing is doubled`() async throws {
        let server = try TestServer()
        for seed in 1...3 { try await run(server, seed: seed) }
    }

    private func run(_ server: TestServer, seed: Int) async throws {
        let stores = try await RelayStores(server)
        let (store, leases) = try await stores.openOwner(1)
        // So that its day is there before the first kill.
        _ = try await store.ids(try stores.request(1...1, key: "first"))
        var random = SeededRandom(seed: 0xD1E5_0000 + UInt64(seed))
        let run = KillRun(stores, store, leases)
        for _ in 0..<3 {
            let wanted = run.callCount + Int.random(in: 5...40, using: &random)
            async let work: Void = run.work(until: wanted, seed: UInt64.random(in: 0...(.max), using: &random))
            while run.callCount < wanted { await Task.yield() }
            try stores.stage.server.kill()
            run.stop()
            await work
            try stores.stage.server.start()
            try await run.settle()
        }
        try await run.check("seed \(seed)")
        await store.close()
    }
}

private final class KillRun: Sendable {
    private struct State {
        var callCount = 0
        var isStopped = false
        var lastKey = 0
        /// Entries by key, as answered.
        var stored: [String: [EntryID]] = [:]
        var open: [String] = []
        var accepted: Set<EntryID> = []
    }

    private let stores: RelayStores
    private let store: PostgreSQLStore
    private let leases: ShardLeases
    private let state = Guarded(State())

    init(_ stores: RelayStores, _ store: PostgreSQLStore, _ leases: ShardLeases) {
        self.stores = stores
        self.store = store
        self.leases = leases
    }

    var callCount: Int { state.withLock { $0.callCount } }

    func stop() { state.withLock { $0.isStopped = true } }

    private static let entryCount: UInt64 = 4

    private func request(_ key: String) throws -> OutboxRequest {
        try stores.request(1...Self.entryCount, key: key)
    }

    /// Several callers, until the run is stopped.
    func work(until wanted: Int, seed: UInt64) async {
        state.withLock { $0.isStopped = false }
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<3 as Range<UInt64> {
                group.addTask { [self] in
                    var random = SeededRandom(seed: seed &+ worker)
                    while !state.withLock({ $0.isStopped }) {
                        // The server may be gone: what counts is what was answered.
                        try? await call(&random)
                        state.withLock { $0.callCount += 1 }
                    }
                }
            }
        }
    }

    private func call(_ random: inout SeededRandom) async throws {
        let key = state.withLock { state in
            state.lastKey += 1
            state.open.append("\(state.lastKey)")
            return "\(state.lastKey)"
        }
        if Bool.random(using: &random) {
            let results = try await store.enqueue([try request(key)], from: store.relay, now: StorePattern.start)
            if case .stored(let ids) = results[0] { state.withLock { $0.stored[key] = ids } }
        } else {
            let results = try await store.enqueueSending([try request(key)], by: leases, now: StorePattern.start)
            guard case .sending(let sent) = results[0] else { return }
            state.withLock { $0.stored[key] = sent.map(\.id) }
            try await accept(sent)
        }
        let taken = try await store.takeAll(by: leases).map(\.lease)
        let marks = try await store.markSending(taken, now: StorePattern.start)
        try await accept(zip(taken, marks).filter { $0.1 == .sending }.map(\.0))
    }

    private func accept(_ leases: [Lease]) async throws {
        for (lease, result) in zip(leases, try await store.accept(leases)) where result == .recorded(.accepted) {
            state.withLock { state in
                let isFirst = state.accepted.insert(lease.id).inserted
                #expect(isFirst, "an entry ends twice")
            }
        }
    }

    /// Repeats every request, as its caller would.
    func settle() async throws {
        let keys = state.withLock { $0.open }
        let requests = try keys.map(request)
        var results: [EnqueueResult]?
        while results == nil {
            // The pool finds the new server.
            results = try? await store.enqueue(requests, from: nil, now: StorePattern.start)
        }
        for (key, result) in zip(keys, results ?? []) {
            switch result {
            case .stored(let ids):
                #expect(state.withLock { $0.stored[key] } == nil, "\(key) was acknowledged, and is lost")
                state.withLock { $0.stored[key] = ids }
            case .duplicate(let ids):
                #expect(ids.count == Int(Self.entryCount))
                state.withLock { state in
                    #expect(state.stored[key].map { $0 == ids } ?? true, "\(key) has other entries")
                    state.stored[key] = ids
                }
            default: Issue.record("\(key): \(result)")
            }
        }
        // What may be in flight is queued again, or stays with its sender until the next takeover.
        while store.rest.withLock({ !$0.isEmpty }) { await Task.yield() }
    }

    func check(_ comment: Comment) async throws {
        #expect(try await store.pool.contradictions() == [], comment)
        let (stored, accepted) = state.withLock { ($0.stored, $0.accepted) }
        let ids = stored.values.flatMap(\.self)
        #expect(Set(ids).count == ids.count, comment)
        let found = try await store.entries(ids, tenant: stores.tenant)
        for entry in found { #expect(entry != nil) }
        for entry in found.compactMap(\.self) where accepted.contains(entry.id) { #expect(entry.state == .accepted) }
        let count: Statement = "SELECT count(*) FROM sealedpush.entry"
        // And the first.
        #expect(try await store.pool.run(count).rows[0].int64(0) == Int64(ids.count + 1))
    }
}

import Envelope
import Platform
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// Hints within a process. `PostgreSQLStoreTests` has those between processes.
struct QueueHintTests {
    private func isOdd(_ entry: NewEntry, _ stage: ShardStage) -> Bool {
        ShardSet.odd.contains(Shard(tenant: stage.tenant, device: entry.device))
    }

    @Test func `an owner hears of what others queue in its shards, once, and of nothing else`() async throws {
        let stage = try await ShardStage(.sqlite)
        let heard = Guarded<[RelayID: [QueueHint]]>([:])
        let other = try await stage.takeOver(.even).leases
        for relay in [stage.opener.relay, other.relay] {
            stage.store.listen(as: relay) { hint in heard.withLock { $0[relay, default: []].append(hint) } }
        }
        let entries = try (1...30).map { try StorePattern.entry($0) }
        let request = try OutboxRequest(
            tenant: stage.tenant,
            idempotency: try StorePattern.idempotency("k"),
            entries: entries
        )
        for _ in 0..<2 { _ = try await stage.store.enqueue([request], from: other.relay, now: .after(0)) }
        #expect(heard.withLock { $0[other.relay] } == nil, "its own")
        let hints = heard.withLock { $0[stage.opener.relay] ?? [] }
        let odd = entries.filter { isOdd($0, stage) }
        let shards = odd.map { Shard(tenant: stage.tenant, device: $0.device).index }
        // Shard after shard, each in the order of the request; a repetition stores nothing.
        let inOrder = Set(shards).sorted().map { shard in zip(odd, shards).filter { $0.1 == shard }.map(\.0) }
        #expect(hints.map(\.entries) == inOrder && hints.allSatisfy { $0.tenant == stage.tenant })
        // A late owner's entry.
        let even = try #require(entries.first { !isOdd($0, stage) })
        guard case .enqueued(.stored) = try await stage.enqueueSending([even], by: stage.opener) else {
            Issue.record("a late owner sends")
            return
        }
        #expect(heard.withLock { $0[other.relay]?.map(\.entries) } == [[even]])
        await stage.close()
    }

    @Test func `what is not stored gives no hint, nor what comes for a shard without an owner`() async throws {
        let stage = try await ShardStage(.sqlite)
        let count = Guarded(0)
        stage.store.listen(as: stage.opener.relay) { _ in count.withLock { $0 += 1 } }
        let long = try StorePattern.entry(1, byteCount: NewEntry.payloadByteCounts.upperBound + 1)
        await #expect(throws: StoreError.self) { _ = try await stage.enqueue([long]) }
        #expect(count.withLock { $0 } == 0)
        _ = try await stage.enqueue([try StorePattern.entry(1)])
        #expect(count.withLock { $0 } == 1)
        try await stage.store.giveBack(stage.opener)
        _ = try await stage.enqueue([try StorePattern.entry(1)])
        #expect(count.withLock { $0 } == 1)
        await stage.close()
    }
}

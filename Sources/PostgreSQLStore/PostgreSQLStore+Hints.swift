internal import APNS
internal import Envelope
internal import Platform
internal import PostgreSQL
package import PushStore

/// Ids of entries that other relays own, as text: each has eleven digits or twelve to the base 36.
enum QueueNotice {
    /// A notice has less than 8,000 bytes (NOTIFY).
    static let countMax = 500

    static func encode(_ ids: some Sequence<EntryID>) -> String {
        ids.map { String($0.value, radix: 36) }.joined(separator: " ")
    }

    /// - Returns: what could be read.
    static func decode(_ text: String) -> [EntryID] {
        text.split(separator: " ").prefix(countMax).compactMap { Int64($0, radix: 36).flatMap(EntryID.init) }
    }
}

/// Notices that wait, and the connection that hears them.
struct QueueNotices {
    var waiting: [EntryID] = []
    var isNotifying = false
    var listeners: [RelayID: @Sendable (QueueHint) -> Void] = [:]
    var listener: NotificationListener?
}

extension PostgreSQLStore {
    /// More are left to the owners' polls.
    private static let waitingCountMax = 16_384

    /// Tells the owners of entries, after their commit: NOTIFY takes a lock of the whole server until its own.
    func notifyOwners(_ ids: [EntryID]) {
        let begins = notices.withLock { notices in
            notices.waiting += ids.prefix(max(0, Self.waitingCountMax - notices.waiting.count))
            defer { notices.isNotifying = true }
            return !notices.isNotifying
        }
        guard begins else { return }
        // Ends with the last notice that waits, or the store.
        startRest { [self] in
            while case let ids = nextNotice(), !ids.isEmpty {
                var batch = Batch(writes: false)
                batch.add("SELECT pg_notify('sealedpush', $1)::text", .text(QueueNotice.encode(ids)))
                // A hint may be missing: owners poll.
                _ = try? await run(batch)
            }
        }
    }

    private func nextNotice() -> [EntryID] {
        notices.withLock { notices in
            let ids = Array(notices.waiting.prefix(QueueNotice.countMax))
            notices.waiting.removeFirst(ids.count)
            if ids.isEmpty { notices.isNotifying = false }
            return ids
        }
    }

    /// Other relays say what they have stored after its commit: the hint may come after their answer.
    package func listen(as relay: RelayID, _ listener: (@Sendable (QueueHint) -> Void)?) {
        let begins = notices.withLock { notices in
            notices.listeners[relay] = listener
            return listener != nil && notices.listener == nil
        }
        guard begins else { return }
        let made = pool.listener("LISTEN sealedpush") { [weak self] event in
            guard case .notified(let text) = event else { return }
            self?.hear(QueueNotice.decode(text))
        }
        notices.withLock { $0.listener = made }
    }

    private func hear(_ ids: [EntryID]) {
        let owned = owned.withLock { $0 }
        for (relay, listener) in notices.withLock({ $0.listeners }) {
            let own = ids.filter { owned[relay]?.shards.contains($0.shard) == true }
            guard !own.isEmpty else { continue }
            // Ends with its read, in the call's time.
            startRest { [self] in
                // A hint may be missing.
                for hint in (try? await hints(own)) ?? [] { listener(hint) }
            }
        }
    }

    private static let told = Statement(
        joining: "SELECT",
        StoredEntry.columns,
        "FROM sealedpush.entry WHERE id = ANY ($1) ORDER BY id"
    )

    /// Entries without their payloads, by tenant.
    private func hints(_ ids: [EntryID]) async throws(StoreError) -> [QueueHint] {
        let entries = try Self.entries(try await read(Self.told, .int64s(ids.map(\.value))))
        var byTenant: [TenantID: [NewEntry]] = [:]
        for entry in entries {
            let new = NewEntry(
                device: entry.device,
                topic: entry.topic,
                apnsID: entry.apnsID,
                collapseID: entry.collapseID,
                lane: entry.lane,
                pushType: entry.pushType,
                priority: entry.priority,
                expiration: entry.expiration,
                deadline: entry.deadline,
                attemptLimit: entry.attemptLimit,
                payload: [],
                trace: entry.trace,
                traceContext: entry.traceContext,
                purpose: entry.purpose
            )
            byTenant[entry.tenant, default: []].append(new)
        }
        return byTenant.map { QueueHint(tenant: $0, entries: $1) }
    }

    /// Starts work that goes on after its caller has its answer. It ends by itself, or when the store is closed.
    func startRest(_ body: @escaping @Sendable () async -> Void) {
        let id = UInt64.random(in: 0...(.max))
        rest.withLock { rest in
            rest[id] = Task { [self] in
                await body()
                self.rest.withLock { _ = $0.removeValue(forKey: id) }
            }
        }
    }
}

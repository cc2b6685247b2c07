import Envelope
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

#if POSTGRESQL
import PostgreSQLServers
#endif

/// An engine of the store, opened in a folder of its own for each test.
struct StoreEngine: CustomTestStringConvertible, Sendable {
    /// Opens or creates the store in a folder; an earlier one there is closed or dead.
    let open: @Sendable (_ folder: String, _ hookCountMax: Int) async throws -> any RelayStore
    let close: @Sendable (any RelayStore) async -> Void
    /// Ends what belongs to a folder.
    var end: @Sendable (_ folder: String) -> Void = { _ in }
    let testDescription: String

    static let sqlite = StoreEngine(
        open: { folder, hookCountMax in
            try SQLiteStore(
                path: folder + "/store",
                key: try StorePattern.key(),
                settings: StoreSettings(hookCountMax: hookCountMax),
                now: StorePattern.start
            )
        },
        close: { await $0.close() },
        testDescription: "SQLite"
    )
    #if POSTGRESQL
    static let all = PostgreSQLPrograms.areInstalled ? [sqlite, postgreSQL] : [sqlite]
    #else
    static let all = [sqlite]
    #endif

    /// Opens a store, and again after `first`, for what outlives a process.
    func with(_ first: (any RelayStore) async throws -> Void, then second: (any RelayStore) async throws -> Void)
        async throws
    {
        let folder = try TemporaryFolder()
        let store = try await open(folder.path, 1_000)
        try await first(store)
        await close(store)
        let next = try await open(folder.path, 1_000)
        try await second(next)
        await close(next)
        end(folder.path)
    }

    func with(hookCountMax: Int = 1_000, _ body: (any RelayStore) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let store = try await open(folder.path, hookCountMax)
        try await body(store)
        await close(store)
        end(folder.path)
    }
}

/// Common first steps.
extension RelayStore {
    /// One request, with one entry for each number.
    func store(
        _ entries: NewEntry...,
        tenant: Int = 1,
        now: Timestamp = StorePattern.start
    ) async throws -> [EntryID] {
        let request = try OutboxRequest(tenant: try StorePattern.tenant(tenant), idempotency: nil, entries: entries)
        guard case .stored(let ids) = try await enqueue([request], now: now)[0] else { throw NotStored() }
        return ids
    }

    func takeAll(
        _ lane: Lane = .normal,
        limit: Int = 100,
        now: Timestamp = StorePattern.start
    ) async throws -> [LeasedEntry] {
        try await take(
            TakeDemand(lane: lane, limit: limit, now: now, leasedUntil: now.advanced(by: .seconds(60)))
        )
    }

    /// Takes and marks everything that is due.
    func sendAll(_ lane: Lane = .normal, now: Timestamp = StorePattern.start) async throws -> [LeasedEntry] {
        let taken = try await takeAll(lane, now: now)
        let marks = try await markSending(taken.map(\.lease), now: now)
        return zip(taken, marks).filter { $0.1 == .sending }.map(\.0)
    }

    func finish(
        _ sent: LeasedEntry,
        _ verdict: Verdict,
        connection: Attempt.Connection = .answered,
        now: Timestamp = StorePattern.start
    ) async throws -> FinishResult {
        let attempt = Attempt(time: now, connection: connection, status: 200, reason: "Because", uniqueID: "u-1")
        return try await finish([Outcome(lease: sent.lease, attempt: attempt, verdict: verdict)], now: now)[0]
    }

    /// Redeems receipts of a tenant's device.
    func record(_ receipts: [Receipt]) async throws -> [ReceiptResult] {
        guard let recorder = self as? any ReceiptRecorder else { return [] }
        return try await recorder.deliver(receipts)
    }

    func state(_ id: EntryID, tenant: Int = 1) async throws -> EntryState? {
        try await entries([id], tenant: try StorePattern.tenant(tenant))[0]?.state
    }
}

/// An engine's own way to deliver by id, without a capability.
protocol ReceiptRecorder {
    func deliver(_ receipts: [Receipt]) async throws -> [ReceiptResult]
}

extension SQLiteStore: ReceiptRecorder {
    func deliver(_ receipts: [Receipt]) async throws -> [ReceiptResult] {
        try await write { writer throws(StoreError) in
            var results: [ReceiptResult] = []
            for receipt in receipts {
                if let standing = try writer.standing(receipt.id),
                    try writer.tenants.number(receipt.tenant) == standing.tenant
                {
                    results.append(try writer.deliver(standing, at: receipt.time))
                } else {
                    results.append(.unknown)
                }
            }
            return results
        }
    }

    func entries(trace: Trace, tenant: TenantID, limit: Int) async throws -> [OutboxEntry] {
        try await read { reader throws(StoreError) in
            var entries: [OutboxEntry] = []
            try reader.entryNumbers(trace: Array(trace.text.utf8)) { number throws(StoreError) in
                if let id = EntryID(value: number), let entry = try reader.entries([id], tenant: tenant)[0],
                    entry.trace == trace
                {
                    entries.append(entry)
                }
                return entries.count < limit
            }
            return entries
        }
    }
}

struct NotStored: Error {}

struct Receipt: Sendable {
    let tenant: TenantID
    let id: EntryID
    let time: Timestamp
}

extension Timestamp {
    static func after(_ seconds: Int) -> Timestamp { StorePattern.start.advanced(by: .seconds(seconds)) }
}

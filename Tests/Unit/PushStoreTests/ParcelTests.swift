import APNS
import Envelope
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

/// Payloads of entries stored as in flight, many in a row.
struct ParcelTests {
    private let file: StoreAtRest
    private let tenant: TenantID

    init() throws {
        file = try StoreAtRest()
        tenant = try StorePattern.tenant(1)
    }

    /// An entry that may go out again after a crash: with a collapse id.
    private func entry(_ number: UInt64, byteCount: Int = 300) throws -> NewEntry {
        try StorePattern.entry(3 * number, byteCount: byteCount)
    }

    private func send(_ numbers: ClosedRange<UInt64>, byteCount: Int = 300, to store: SQLiteStore) async throws
        -> [Lease]
    {
        let entries = try numbers.map { try entry($0, byteCount: byteCount) }
        let request = try OutboxRequest(tenant: tenant, idempotency: nil, entries: entries)
        guard case .sending(let leases) = try await store.enqueueSending([request], now: .after(0))[0] else {
            throw NotStored()
        }
        return leases
    }

    private func finish(_ lease: Lease, _ verdict: Verdict, in store: SQLiteStore) async throws {
        let attempt = Attempt(time: .after(1), connection: .answered, status: 200)
        let outcome = Outcome(lease: lease, attempt: attempt, verdict: verdict)
        guard case .recorded = try await store.finish([outcome], now: .after(1))[0] else { throw NotStored() }
    }

    private func count(_ text: String, in store: SQLiteStore) async throws -> Int64 {
        try await store.read { reader throws(StoreError) in
            try reader.sql("SELECT \(text)").first([]) { $0.integer(0) } ?? 0
        }
    }

    private func rows(_ store: SQLiteStore) async throws -> [Int64] {
        [
            try await count("count(*) FROM parcel", in: store), try await count("count(*) FROM payload", in: store),
        ]
    }

    /// The store as a crash would leave it now, in another file.
    private func crashed(_ store: SQLiteStore) async throws -> StoreAtRest {
        let other = try StoreAtRest()
        try await store.backup(to: other.path)
        return other
    }

    @Test func `a parcel is deleted with the last entry that needs it`() async throws {
        let store = try file.open()
        let leases = try await send(1...3, to: store)
        #expect(try await rows(store) == [1, 0])
        try await finish(leases[1], .accepted, in: store)
        try await finish(leases[0], .accepted, in: store)
        #expect(try await rows(store) == [1, 0])
        try await finish(leases[2], .accepted, in: store)
        #expect(try await rows(store) == [0, 0])
        await store.close()
    }

    @Test func `a receipt that comes before the answer lets go of the payload, once`() async throws {
        let store = try file.open()
        let leases = try await send(1...2, to: store)
        let receipt = Receipt(tenant: tenant, id: leases[0].id, time: .after(1))
        #expect(try await store.record([receipt, receipt]) == [.recorded, .repeated])
        try await finish(leases[0], .accepted, in: store)
        #expect(try await rows(store) == [1, 0])
        try await finish(leases[1], .accepted, in: store)
        #expect(try await rows(store) == [0, 0])
        await store.close()
    }

    @Test func `what has to be sent again or is dead gets a row of its own, as it was`() async throws {
        let store = try file.open()
        let leases = try await send(1...3, to: store)
        try await finish(leases[0], .retry(at: .after(5)), in: store)
        try await finish(leases[1], .dead(.rejected), in: store)
        try await finish(leases[2], .accepted, in: store)
        #expect(try await rows(store) == [0, 2])
        let taken = try await store.takeAll(now: .after(5))
        #expect(taken.map(\.payload) == [try entry(1).payload])
        let marks = try await store.markSending(taken.map(\.lease), now: .after(5))
        #expect(marks == [.sending])
        try await finish(taken[0].lease, .accepted, in: store)
        #expect(try await rows(store) == [0, 1])
        let replay = Replay(id: leases[1].id, apnsID: StorePattern.apnsID(9), deadline: .after(600))
        guard case .replayed = try await store.replay([replay], tenant: tenant, now: .after(6))[0] else {
            throw NotStored()
        }
        #expect(try await store.takeAll(now: .after(6)).map(\.payload) == [try entry(2).payload])
        await store.close()
    }

    @Test func `what was put off before anything was written has its payload`() async throws {
        let store = try file.open()
        let lease = try await send(1...1, to: store)[0]
        let outcome = Outcome(lease: lease, attempt: nil, verdict: .retry(at: .after(5)))
        #expect(try await store.finish([outcome], now: .after(1)) == [.recorded(.queued)])
        #expect(try await store.takeAll(now: .after(5)).map(\.payload) == [try entry(1).payload])
        #expect(try await rows(store) == [0, 1])
        await store.close()
    }

    @Test func `what a crash leaves in a parcel goes out again as it was, and what had ended does not`() async throws {
        let store = try file.open()
        let leases = try await send(1...3, to: store)
        try await finish(leases[1], .accepted, in: store)
        let other = try await crashed(store)
        await store.close()
        let next = try other.open()
        #expect(next.openingReport.interruptedCount == 2)
        #expect(try await rows(next) == [0, 2])
        let taken = try await next.takeAll(now: .after(1)).sorted { $0.lease.id.value < $1.lease.id.value }
        #expect(taken.map(\.payload) == [try entry(1).payload, try entry(3).payload])
        #expect(try await next.integrityReport() == [])
        await next.close()
    }

    @Test func `a start finds what is on its way behind much that has ended`() async throws {
        let store = try file.open()
        let old = try await send(1...1, to: store)[0]
        for lease in try await send(2...40, byteCount: 1, to: store) { try await finish(lease, .accepted, in: store) }
        let other = try await crashed(store)
        await store.close()
        let next = try other.open()
        #expect(next.openingReport.interruptedCount == 1)
        #expect(try await next.takeAll(now: .after(1)).map(\.lease.id) == [old.id])
        await next.close()
    }

    @Test func `an entry whose parcel is damaged is dead and holds up nobody (abuse case 97)`() async throws {
        let store = try file.open()
        let leases = try await send(1...2, to: store)
        let other = try await crashed(store)
        await store.close()
        // The second payload's length is beyond the end.
        try other.execute("UPDATE parcel SET bytes = substr(bytes, 1, length(bytes) - 1)")
        let next = try other.open()
        #expect(next.openingReport.interruptedCount == 2)
        #expect(try await next.takeAll(now: .after(1)).map(\.lease.id) == [leases[0].id])
        #expect(try await next.state(leases[1].id) == .dead(.corrupt))
        await next.close()
    }

    @Test func `a parcel is no longer than may be read for one entry's end`() async throws {
        let store = try file.open()
        let leases = try await send(1...20, byteCount: 8_192, to: store)
        #expect(try await rows(store) == [3, 0])
        let longest = try await count("max(length(bytes)) FROM parcel", in: store)
        #expect(longest <= Int64(PayloadParcel.byteCountMax))
        for lease in leases { try await finish(lease, .accepted, in: store) }
        #expect(try await rows(store) == [0, 0])
        await store.close()
    }

    @Test func `a transaction that comes to nothing changes nothing of parcels`() async throws {
        await (try file.open()).close()
        let connection = try SQLiteConnection(path: file.path, fileSystem: nil)
        let table = try ParcelTable(connection)
        try table.add([1, 2], of: 7)
        try table.add([3], of: 8)
        try table.write()
        table.end(holds: true)
        try connection.execute("BEGIN")
        #expect(table.release(7) && table.release(8))
        try table.add([4], of: 9)
        try table.write()
        try connection.execute("ROLLBACK")
        table.end(holds: false)
        #expect(try table.payload(of: 7) == .some([1, 2]))
        #expect(try table.payload(of: 8) == .some([3]))
        #expect(try table.payload(of: 9) == .none)
        table.end(holds: true)
        #expect(table.release(7))
        try table.write()
        table.end(holds: true)
        #expect(try connection.integer("SELECT count(*) FROM parcel") == 1)
        #expect(table.release(8))
        try table.write()
        #expect(try connection.integer("SELECT count(*) FROM parcel") == 0)
        table.end(holds: true)
        #expect(!table.release(8))
    }
}

import Envelope
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

/// Leases while other readers scan the queue, each on the file as it was at its start.
struct EntryLeasesTests {
    private let demand = TakeDemand(
        lane: .normal,
        limit: 1,
        now: StorePattern.start,
        leasedUntil: StorePattern.start.advanced(by: .seconds(60))
    )
    private let standing: EntryStanding
    private let owner = ShardLease(shard: Shard.all[7], epoch: 1)

    init() throws {
        standing = EntryStanding(
            id: try #require(EntryID(value: 7)),
            tenant: 1,
            lane: .normal,
            state: .queued,
            attemptCount: 0,
            attemptLimit: nil,
            deadline: StorePattern.start.advanced(by: .seconds(600)),
            maybeDuplicate: false
        )
    }

    /// Takes an entry that a read has found queued.
    private func take(_ book: inout EntryLeases) throws -> Lease {
        let lease = book.lease(standing, under: owner, demand: demand)
        return try #require(lease)
    }

    @Test func `what was marked while somebody looked is not his, and free for the next`() throws {
        var book = EntryLeases()
        let lease = try take(&book)
        let isHeld = book.mark(lease)
        book.beginLook()
        book.didMark(lease)
        let seen = book.lease(standing, under: owner, demand: demand)
        #expect(isHeld && seen == nil)
        book.endLook()
        // It may have been queued again since.
        let later = book.lease(standing, under: owner, demand: demand)
        #expect(later != nil)
    }

    @Test func `it is so until all have ended that may have seen it queued`() throws {
        var book = EntryLeases()
        let lease = try take(&book)
        book.beginLook()
        book.beginLook()
        let isHeld = book.mark(lease)
        book.didMark(lease)
        book.endLook()
        let seen = book.lease(standing, under: owner, demand: demand)
        #expect(isHeld && seen == nil)
        book.endLook()
        let later = book.lease(standing, under: owner, demand: demand)
        #expect(later != nil)
    }

    @Test func `what was given back, or could not be marked, is free at once`() throws {
        var book = EntryLeases()
        book.beginLook()
        let lease = try take(&book)
        let isHeld = book.mark(lease)
        book.end(lease)
        let next = book.lease(standing, under: owner, demand: demand)
        #expect(isHeld && next != nil)
    }

    @Test func `the mark of a lease that had ended takes nothing from who has it now`() throws {
        var book = EntryLeases()
        let lease = try take(&book)
        book.end(lease)
        book.beginLook()
        let next = try take(&book)
        book.didMark(lease)
        let isHeld = book.mark(next)
        #expect(isHeld)
    }

    @Test func `a lease under an earlier owner holds nothing back, and is void`() throws {
        var book = EntryLeases()
        let lease = try take(&book)
        let next = ShardLease(shard: owner.shard, epoch: 2)
        let taken = book.lease(standing, under: next, demand: demand)
        let isHeld = book.mark(lease)
        #expect(taken != nil && !isHeld)
        let again = book.lease(standing, under: next, demand: demand)
        #expect(again == nil)
    }
}

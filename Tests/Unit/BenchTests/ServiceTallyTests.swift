import Networking
import Testing

@testable import Bench

struct ServiceTallyTests {
    private static func tally(_ count: Int, recipients: Int = 1, first: Int = 0, backlog: Int? = nil) -> ServiceTally {
        var load = ServiceLoad()
        load.length = .posts(count)
        load.recipientCount = recipients
        load.backlogMax = backlog
        return ServiceTally(load, first: first, keepsNames: true)
    }

    @Test func `numbers are given out once, a POST's together, and as many as there are POSTs`() {
        let tally = Self.tally(3, recipients: 4, first: 100)
        #expect((0..<3).map { _ in tally.next() } == [100..<104, 104..<108, 108..<112])
        #expect(tally.next() == nil && tally.nextNumber == 112)
    }

    @Test func `it is done when everything that was accepted has reached APNs, and not before`() {
        let tally = Self.tally(3)
        for number in 0..<3 { #expect(tally.next() == number..<number + 1) }
        tally.note(0..<1, status: 202, from: .now())
        tally.note(1..<2, status: 429, from: .now())
        // APNs has it before its sender has the answer.
        tally.noteDelivered(2, name: [2])
        tally.note(2..<3, status: 202, from: .now())
        tally.didPost()
        #expect(!tally.isDone)
        tally.noteDelivered(0, name: [0])
        #expect(tally.isDone)
        let report = tally.report(since: .now())
        #expect(report.acceptedCount == 2 && report.deliveredCount == 2 && report.missingCount == 0)
        #expect(report.statusCounts == [202: 2, 429: 1] && report.postCount == 3)
    }

    @Test func `what was not sent has no number, and is neither accepted nor refused`() {
        let tally = Self.tally(2)
        tally.noteUnsent(3)
        #expect(tally.next() == 0..<1 && !tally.isGivenOut)
        #expect(tally.next() == 1..<2 && tally.isGivenOut)
        tally.note(0..<1, status: 202, from: .now())
        let report = tally.report(since: .now())
        #expect(report.unsentCount == 3 && report.postCount == 1 && report.acceptedCount == 1)
    }

    @Test func `what was accepted and is not at APNs is missing`() {
        let tally = Self.tally(2)
        for _ in 0..<2 { _ = tally.next() }
        tally.note(0..<1, status: 202, from: .now())
        tally.note(1..<2, status: 202, from: .now())
        tally.noteDelivered(1, name: [1])
        tally.didPost()
        #expect(tally.report(since: .now()).missingCount == 1 && !tally.isDone)
    }

    @Test func `a push that comes again counts apart, and another apns-id is noticed`() {
        let tally = Self.tally(2)
        for _ in 0..<2 { _ = tally.next() }
        tally.note(0..<1, status: 202, from: .now())
        for name: [UInt8] in [[1], [1], [2]] { tally.noteDelivered(0, name: name) }
        let report = tally.report(since: .now())
        #expect(report.deliveredCount == 1 && report.duplicateCount == 2 && tally.arrivalCount == 3)
        #expect(tally.renamedCount == 1 && tally.repeats == [0: 2])
    }

    @Test func `what comes again late counts for its own load, and is known to the next one`() {
        var load = ServiceLoad()
        load.length = .posts(2)
        let earlier = ServiceTally(load, first: 10)
        for _ in 0..<2 { _ = earlier.next() }
        let tally = ServiceTally(load, first: 12, after: earlier)
        _ = tally.next()
        for number in [10, 10, 11, 12, 12, 9] { tally.noteDelivered(number, name: []) }
        #expect(earlier.report(since: .now()).duplicateCount == 1 && earlier.repeats == [10: 1])
        #expect(tally.report(since: .now()).duplicateCount == 1 && tally.repeats == [10: 1, 12: 1])
    }

    @Test func `numbers that were never given out are nobody's`() {
        let tally = Self.tally(1, first: 10)
        _ = tally.next()
        for number in [0, 9, 11, -1] { tally.noteDelivered(number, name: []) }
        #expect(tally.arrivalCount == 0 && !tally.isAccepted(9) && !tally.isDelivered(11))
    }

    @Test func `an interrupted load gives nothing out until it goes on`() async {
        let tally = Self.tally(3, backlog: 1)
        _ = tally.next()
        tally.note(0..<1, status: 202, from: .now())
        async let room: Void = tally.room()
        tally.interrupt()
        await room
        #expect(tally.next() == nil)
        tally.resume()
        #expect(tally.next() == 1..<2)
    }

    @Test func `who waits for room goes on when APNs has some of the backlog`() async {
        let tally = Self.tally(10, backlog: 2)
        for number in 0..<2 {
            _ = tally.next()
            tally.note(number..<number + 1, status: 202, from: .now())
        }
        async let room: Void = tally.room()
        tally.noteDelivered(0, name: [])
        tally.noteDelivered(1, name: [])
        await room
        await tally.room()
    }

    @Test func `a load without an end goes on until it is limited to what was given out`() {
        var load = ServiceLoad()
        load.length = .open
        let tally = ServiceTally(load, first: 5)
        #expect(tally.next() == 5..<6 && tally.next() == 6..<7 && !tally.isGivenOut)
        tally.limit(to: 0)
        #expect(tally.next() == nil && tally.isGivenOut && tally.nextNumber == 7)
    }

    @Test func `a turn has what was posted, was answered and came to APNs in it, and not what was before`() {
        let tally = Self.tally(10, recipients: 2)
        for _ in 0..<2 { _ = tally.next() }
        tally.note(0..<2, status: 202, from: .now())
        tally.noteDelivered(0, name: [])
        let before = tally.progress
        _ = tally.next()
        tally.note(2..<4, status: 202, from: .now())
        tally.note(4..<6, status: 429, from: .now())
        for number in 1..<4 { tally.noteDelivered(number, name: []) }
        let after = tally.progress
        #expect(before.postedCount == 4 && before.acceptedCount == 2 && before.deliveredCount == 1)
        #expect(after.postedCount == 6 && after.acceptedCount == 4 && after.deliveredCount == 4)
        func at(_ seconds: Int64, _ progress: ServiceProgress) -> ServiceProgress {
            ServiceProgress(
                time: MonotonicTime(nanoseconds: seconds * 1_000_000_000),
                postedCount: progress.postedCount,
                acceptedCount: progress.acceptedCount,
                deliveredCount: progress.deliveredCount
            )
        }
        #expect(at(9, after).postedPerSecond(since: at(8, before)) == 2)
        #expect(at(10, after).acceptedPerSecond(since: at(8, before)) == 1)
        #expect(at(9, after).deliveredPerSecond(since: at(8, before)) == 3)
    }

    @Test func `a load of some time ends with it`() {
        var load = ServiceLoad()
        load.length = .time(.zero)
        #expect(ServiceTally(load, first: 0).next() == nil)
    }
}

import Testing

@testable import Sidecar

/// The queue as a value: numbers in, numbers out.
struct PostingQueueTests {
    @Test func `messages are posted in their order, eight at a time`() {
        var queue = PostingQueue()
        for number in 1...10 { queue.add(Int64(number)) }
        let first = (0..<9).map { _ in queue.next(now: 0) }
        #expect(first == [1, 2, 3, 4, 5, 6, 7, 8, nil])
        queue.finish(3, .settled, now: 0, jitter: 0)
        #expect(queue.next(now: 0) == 9)
        #expect(queue.next(now: 0) == nil && queue.waitingCount == 1 && queue.wakeTime == nil)
    }

    @Test func `one that failed comes first again, alone, and not before its delay`() {
        var queue = PostingQueue()
        for number in 1...3 { queue.add(Int64(number)) }
        #expect(queue.next(now: 0) == 1)
        queue.finish(1, .failed(retryAfterSeconds: nil), now: 0, jitter: 1)
        #expect(queue.wakeTime == 500 && queue.next(now: 499) == nil)
        #expect(queue.next(now: 500) == 1)
        // The others wait for what becomes of it.
        #expect(queue.next(now: 500) == nil)
        queue.finish(1, .settled, now: 510, jitter: 0)
        #expect(queue.next(now: 510) == 2 && queue.next(now: 510) == 3)
    }

    @Test func `one that the relay fails at is asked about last, so that it holds up no other`() {
        var queue = PostingQueue()
        for number in 1...3 { queue.add(Int64(number)) }
        #expect(queue.next(now: 0) == 1)
        queue.finish(1, .failedAlone(retryAfterSeconds: nil), now: 0, jitter: 0)
        #expect(queue.next(now: 249) == nil && queue.next(now: 250) == 2)
        queue.finish(2, .settled, now: 260, jitter: 0)
        #expect(queue.next(now: 260) == 3 && queue.next(now: 260) == 1)
    }

    @Test func `delays double up to a minute, and half of each is chance`() {
        #expect(
            (1...9).map { PostingQueue.delay($0, 1) } == [
                500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
            ]
        )
        #expect((1...3).map { PostingQueue.delay($0, 0) } == [250, 500, 1_000])
        #expect(PostingQueue.delay(.max, 0.5) == 45_000)
    }

    @Test func `the relay's Retry-After counts, up to an hour`() {
        var queue = PostingQueue()
        queue.add(1)
        #expect(queue.next(now: 0) == 1)
        queue.finish(1, .failed(retryAfterSeconds: 30), now: 0, jitter: 0)
        #expect(queue.wakeTime == 30_000 && queue.next(now: 30_000) == 1)
        queue.finish(1, .failed(retryAfterSeconds: .max), now: 30_000, jitter: 0)
        #expect(queue.wakeTime == 3_630_000)
    }

    @Test func `what is left of a message is posted at once, and one that is added while it is posted after that`() {
        var queue = PostingQueue()
        queue.add(1)
        #expect(queue.next(now: 0) == 1)
        queue.add(1)
        #expect(queue.next(now: 0) == nil)
        queue.finish(1, .again, now: 0, jitter: 0)
        #expect(queue.waitingCount == 1 && queue.next(now: 0) == 1)
        queue.finish(1, .settled, now: 0, jitter: 0)
        #expect(queue.waitingCount == 0 && queue.next(now: 0) == nil && queue.wakeTime == nil)
    }

    @Test func `a hundred thousand messages keep their order through failures`() {
        var queue = PostingQueue()
        for number in 1...100_000 { queue.add(Int64(number)) }
        var posted: [Int64] = []
        var now: Int64 = 0
        while let number = queue.next(now: now) {
            let fails = number % 1_000 == 0 && posted.last != -number
            if fails { posted.append(-number) } else { posted.append(number) }
            queue.finish(number, fails ? .failed(retryAfterSeconds: nil) : .settled, now: now, jitter: 0)
            now = queue.wakeTime ?? now
        }
        #expect(posted.filter { $0 > 0 } == (1...100_000).map { Int64($0) })
    }
}

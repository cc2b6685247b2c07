/// Messages waiting for the relay, in order. Numbers in, numbers out; no clock, socket or store.
///
/// A copy is sealed → posting → accepted or rejected. *Posting* is known here alone: after a kill the copy counts as
/// sealed, and is posted with the same idempotency key.
///
/// While the relay takes nothing, one POST at a time asks again, later and later; all else waits with it.
struct PostingQueue: Equatable, Sendable {
    /// End of a message's POST.
    enum Outcome: Equatable, Sendable {
        case settled
        /// Something is to be posted at once: the relay rejected others.
        case again
        /// Relay not reached, or taking nothing now.
        case failed(retryAfterSeconds: Int?)
        /// The relay failed at this one, perhaps at no other: the next goes first.
        case failedAlone(retryAfterSeconds: Int?)
    }

    static let postingCountMax = 8
    static let delayMilliseconds: Int64 = 500
    static let delayMillisecondsMax: Int64 = 60_000

    private var waiting: [Int64] = []
    /// First of `waiting` that is left.
    private var start = 0
    private var queued: Set<Int64> = []
    private(set) var posting: Set<Int64> = []
    private(set) var failureCount = 0
    /// Milliseconds of a monotonic clock before which nothing is posted.
    private var notBefore: Int64 = 0

    var waitingCount: Int { waiting.count - start }

    /// Queues a message, or one more copy of it.
    mutating func add(_ number: Int64) {
        if queued.insert(number).inserted { waiting.append(number) }
    }

    /// Puts a message first.
    private mutating func putBack(_ number: Int64) {
        guard queued.insert(number).inserted else { return }
        if start == 0 {
            waiting.insert(number, at: 0)
        } else {
            start -= 1
            waiting[start] = number
        }
    }

    /// Takes the next message to post; nil for none now.
    ///
    /// - Parameter now: milliseconds of a monotonic clock.
    mutating func next(now: Int64) -> Int64? {
        guard now >= notBefore, posting.count < (failureCount > 0 ? 1 : Self.postingCountMax) else { return nil }
        guard let index = waiting[start...].firstIndex(where: { !posting.contains($0) }) else { return nil }
        let number = waiting[index]
        if index == start { start += 1 } else { waiting.remove(at: index) }
        if start > 1_024, start > waiting.count / 2 {
            waiting.removeFirst(start)
            start = 0
        }
        queued.remove(number)
        posting.insert(number)
        return number
    }

    /// Time to look again, in milliseconds; nil: not before the next event.
    var wakeTime: Int64? { waitingCount > 0 && posting.isEmpty ? notBefore : nil }

    /// Notes the end of a POST.
    ///
    /// - Parameters:
    ///   - now: milliseconds of a monotonic clock.
    ///   - jitter: 0 to 1: sidecars that lost one relay come back one by one.
    mutating func finish(_ number: Int64, _ outcome: Outcome, now: Int64, jitter: Double) {
        guard posting.remove(number) != nil else { return }
        switch outcome {
        case .settled: failureCount = 0
        case .again:
            failureCount = 0
            putBack(number)
        case .failed(let seconds), .failedAlone(let seconds):
            failureCount += 1
            if case .failed = outcome { putBack(number) } else { add(number) }
            let asked = Int64(min(seconds ?? 0, 3_600)) * 1_000
            notBefore = max(notBefore, now + max(asked, Self.delay(failureCount, jitter)))
        }
    }

    /// Half to the whole of 0.5 s, doubled with each failure up to a minute.
    static func delay(_ failureCount: Int, _ jitter: Double) -> Int64 {
        let whole = min(delayMillisecondsMax, delayMilliseconds << min(Int64(failureCount - 1), 10))
        return whole / 2 + Int64(Double(whole / 2) * min(max(jitter, 0), 1))
    }
}

package import Envelope

/// Wait equal to the hook's age, and so doubling, with jitter, for a day at most. Not by attempts: it may have waited
/// behind others.
package struct HookRetry: Equatable, Sendable {
    package enum Verdict: Equatable, Sendable {
        case done
        case givenUp
        case retry(at: Timestamp)
    }

    package var firstMilliseconds: UInt64 = 5_000
    package var ceilingMilliseconds: UInt64 = 3_600_000
    package var patienceMilliseconds: UInt64 = 86_400_000

    package init() {}

    /// - Parameter chance: 0 ..< 1; the wait is between half and the whole.
    /// - Returns: 2xx is done and 4xx given up, except 408 and 429; others are retried until the patience ends.
    package func verdict(_ result: WebhookResult, created: Timestamp, now: Timestamp, chance: Double) -> Verdict {
        if case .answered(let status) = result {
            if (200...299).contains(status) { return .done }
            if (400...499).contains(status), status != 408, status != 429 { return .givenUp }
        }
        let end = created.advanced(by: .milliseconds(Int64(clamping: patienceMilliseconds)))
        guard now < end else { return .givenUp }
        let age = now.milliseconds - min(created.milliseconds, now.milliseconds)
        let full = min(max(firstMilliseconds, age), ceilingMilliseconds)
        let wait = full / 2 + UInt64(Double(full - full / 2) * min(max(chance, 0), 1))
        return .retry(at: min(now.advanced(by: .milliseconds(Int64(clamping: wait))), end))
    }
}

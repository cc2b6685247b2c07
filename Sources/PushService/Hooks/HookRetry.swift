package import Envelope

/// When a tenant's server is told again: as long after as it has taken so far, so that the waits double, with chance in
/// them, and for a day at most.
///
/// It goes by the hook's age and not by how often it was tried: a hook may also have waited because many others did.
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

    /// - Parameters:
    ///   - result: of the last post.
    ///   - created: when it happened.
    ///   - now: when the post ended.
    ///   - chance: 0 ..< 1: the wait is between half and the whole.
    /// - Returns: 2xx is done; other answers that say that it is the request's fault are given up (4xx without 408 and
    ///   429); all else is tried until a last time at the end of the patience.
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

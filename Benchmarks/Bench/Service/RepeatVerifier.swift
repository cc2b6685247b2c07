package import PushStore

/// Judges repeated pushes: each repetition needs an earlier attempt whose answer was lost.
package struct RepeatVerifier: Equatable, Sendable {
    private static let lookCount = 500
    private static let interrupted = "Interrupted"

    package private(set) var repeatedCount = 0
    /// Repetitions without a lost answer before them.
    package private(set) var needlessCount = 0
    /// Attempts without an answer of repeated notifications, by the relay's reason.
    package private(set) var causes: [String: Int] = [:]

    package var isGood: Bool { needlessCount == 0 }

    package init() {}

    /// Looks up the attempts of repeated notifications.
    ///
    /// - Parameters:
    ///   - repeats: Repetitions by notification number.
    ///   - store: Store of a stopped relay.
    package init(_ repeats: [Int: Int], in store: any RelayStore) async throws {
        let numbers = repeats.keys.sorted()
        for start in stride(from: 0, to: numbers.count, by: Self.lookCount) {
            let some = numbers[start..<min(start + Self.lookCount, numbers.count)]
            let entries = try await store.newestEntries(some.map { ServiceRecipients.trace($0) })
            for (number, entry) in zip(some, entries) {
                guard let entry else {
                    add(repeats[number] ?? 0, attempts: [])
                    continue
                }
                let attempts = try await store.attempts(entry.id, tenant: entry.tenant)
                // Of very many attempts not all are kept.
                let forgottenCount = entry.maybeDuplicate ? max(0, entry.attemptCount - attempts.count) : 0
                add(repeats[number] ?? 0, attempts: attempts, forgottenCount: forgottenCount)
            }
        }
    }

    /// Adds one repeated notification.
    ///
    /// - Parameter forgottenCount: Attempts dropped from the store, possibly without an answer.
    package mutating func add(_ count: Int, attempts: [Attempt], forgottenCount: Int = 0) {
        let unknown = attempts.filter(\.isOutcomeUnknown)
        repeatedCount += count
        needlessCount += max(0, count - unknown.count - forgottenCount)
        for attempt in unknown {
            let cause = attempt.connection == .interrupted ? Self.interrupted : attempt.reason
            causes[cause ?? "unknown", default: 0] += 1
        }
    }
}

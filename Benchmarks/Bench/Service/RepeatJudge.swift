package import PushStore

/// Judges what came to APNs more than once: each time more is right only where an answer before it was lost.
package struct RepeatJudge: Equatable, Sendable {
    private static let lookCount = 500
    private static let interrupted = "Interrupted"

    /// Pushes that came again, each time.
    package private(set) var repeatedCount = 0
    /// Of these, those before which no answer was lost.
    package private(set) var needlessCount = 0
    /// Of the notifications that came again, how their attempts without an answer ended, by the relay's words.
    package private(set) var causes: [String: Int] = [:]

    package var isGood: Bool { needlessCount == 0 }

    package init() {}

    /// Looks up what became of them.
    ///
    /// - Parameters:
    ///   - repeats: how often the notification of each number came again.
    ///   - store: the relay's, which does not run.
    /// - Throws: what the store says.
    package init(_ repeats: [Int: Int], in store: SQLiteStore) async throws {
        let tenant = try TenantID(ServiceFleet.tenant)
        let numbers = repeats.keys.sorted()
        for start in stride(from: 0, to: numbers.count, by: Self.lookCount) {
            let some = numbers[start..<min(start + Self.lookCount, numbers.count)]
            let entries = try await store.newestEntries(some.map { ServiceRecipients.trace($0) })
            for (number, entry) in zip(some, entries) {
                guard let entry else {
                    add(repeats[number] ?? 0, attempts: [])
                    continue
                }
                let attempts = try await store.attempts(entry.id, tenant: tenant)
                // Of very many attempts not all are kept.
                let forgottenCount = entry.maybeDuplicate ? max(0, entry.attemptCount - attempts.count) : 0
                add(repeats[number] ?? 0, attempts: attempts, forgottenCount: forgottenCount)
            }
        }
    }

    /// One notification that came again.
    ///
    /// - Parameters:
    ///   - count: how often.
    ///   - attempts: what the store knows of it.
    ///   - forgottenCount: attempts that may have been without an answer, and that the store has forgotten.
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

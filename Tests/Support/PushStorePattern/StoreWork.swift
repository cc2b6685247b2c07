import APNS
import Envelope
import Platform
package import PushStore
import Synchronization
import TestSupport

/// A relay's random work on a store: requests come in, dispatchers send, receipts come or fallbacks fire, tenants are
/// called, devices come and go. It continues until the store fails, or the process is killed.
package struct StoreWork: Sendable {
    /// Unfinished entries above which no more come in.
    private static let backlogMax = 400
    private static let deviceCount = 40
    private static let dispatcherCount = 4
    private let engine: any RelayStore
    private let seed: UInt64
    private let handOverPercent: Int
    private let say: @Sendable (WorkLine) -> Void
    private let shared = Shared()

    private final class Shared: Sendable {
        let backlog = Atomic<Int>(0)
        let milliseconds = Atomic<UInt64>(0)
        /// True once a worker failed: the others may not notice, where they only read memory.
        let isOver = Atomic<Bool>(false)
        /// Entries whose sender has not reported its act yet: a dispatcher may be faster once the store has them back.
        let unsaid = Guarded<Set<EntryID>>([])
    }

    /// - Parameters:
    ///   - seed: of the work; no two rounds on one file may have the same.
    ///   - elapsed: the clock's start.
    ///   - handOverPercent: percentage of requests that are stored as in flight.
    ///   - say: gets every line, in the order of the acts.
    package init(
        _ engine: any RelayStore,
        seed: UInt64,
        elapsed: UInt64 = 0,
        handOverPercent: Int = 33,
        say: @escaping @Sendable (WorkLine) -> Void
    ) {
        self.engine = engine
        self.seed = seed
        self.handOverPercent = handOverPercent
        self.say = say
        shared.milliseconds.store(elapsed, ordering: .relaxed)
    }

    /// - Returns: errors of the workers that failed.
    package func run() async -> [any Error] {
        await withTaskGroup(of: (any Error)?.self) { group in
            for number in 0..<2 {
                group.addTask {
                    await failure { try await enqueue(SeededRandom(seed: seed &+ UInt64(number)), number) }
                }
            }
            for number in 0..<Self.dispatcherCount {
                group.addTask {
                    await failure { try await dispatch(SeededRandom(seed: seed ^ UInt64(number + 100)), number) }
                }
            }
            group.addTask { await failure { try await register(SeededRandom(seed: seed ^ 77)) } }
            group.addTask { await failure { try await claim(SeededRandom(seed: seed ^ 79)) } }
            group.addTask { await failure { try await tell(SeededRandom(seed: seed ^ 78)) } }
            return await group.reduce(into: []) { errors, error in error.map { errors.append($0) } }
        }
    }

    private func failure(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            shared.isOver.store(true, ordering: .relaxed)
            return error
        }
    }

    private var isOver: Bool { shared.isOver.load(ordering: .relaxed) }

    private func now() -> Timestamp {
        let elapsed = shared.milliseconds.add(1, ordering: .relaxed).newValue
        return StorePattern.start.advanced(by: .milliseconds(Int64(elapsed)))
    }

    private func enqueue(_ seeded: SeededRandom, _ worker: Int) async throws {
        var random = seeded
        var number = (seed << 24 | UInt64(worker) << 20) & .max >> 1
        while !isOver {
            guard shared.backlog.load(ordering: .relaxed) < Self.backlogMax else {
                await Task.yield()
                continue
            }
            let count = Int.random(in: 1...6, using: &random)
            let first = number
            number += UInt64(count)
            say(.enqueuing(number: first, count: count))
            let request = try WorkRequest.make(first, count: count)
            if Int.random(in: 0..<100, using: &random) < handOverPercent {
                guard case .sending(let leases) = try await engine.enqueueSending([request], now: now())[0] else {
                    continue
                }
                say(.sending(number: first, ids: leases.map(\.id)))
                shared.backlog.add(count, ordering: .relaxed)
                shared.unsaid.withLock { $0.formUnion(leases.map(\.id)) }
                defer { shared.unsaid.withLock { $0.subtract(leases.map(\.id)) } }
                try await finish(
                    zip(leases, request.entries).map { Sent(lease: $0, apnsID: $1.apnsID) },
                    &random
                )
                continue
            }
            guard case .stored(let ids) = try await engine.enqueue([request], now: now())[0] else { continue }
            say(.stored(number: first, ids: ids))
            shared.backlog.add(count, ordering: .relaxed)
        }
    }

    private func dispatch(_ seeded: SeededRandom, _ worker: Int) async throws {
        var random = seeded
        let shards = Shard.all.filter { $0.index % Self.dispatcherCount == worker }
        while !isOver {
            let time = now()
            // Most of its shards, in one read.
            let some = shards.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
            let demand = TakeDemand(
                lane: Lane.allCases[Int.random(in: 0..<3, using: &random)],
                shards: ShardSet(some),
                limit: Int.random(in: 1...20, using: &random),
                now: time,
                leasedUntil: time.advanced(by: .seconds(60))
            )
            let taken = try await engine.take(demand)
            if taken.isEmpty {
                await Task.yield()
                continue
            }
            // Lines of an entry are in the order of its acts, whichever worker writes them.
            while shared.unsaid.withLock({ !$0.isDisjoint(with: taken.map(\.lease.id)) }) { await Task.yield() }
            let isGivenBack = Int.random(in: 0..<12, using: &random) == 0
            if isGivenBack {
                await engine.giveBack(taken.map(\.lease))
                continue
            }
            for one in taken { say(.marking(one.lease.id)) }
            let marks = try await engine.markSending(taken.map(\.lease), now: now())
            let sending = zip(taken, marks).filter { $0.1 == .sending }.map(\.0)
            for one in sending { say(.marked(one.lease.id)) }
            try await finish(
                sending.map { Sent(lease: $0.lease, apnsID: $0.entry.apnsID) },
                &random
            )
            if Int.random(in: 0..<20, using: &random) == 0 {
                for tenant in 1...3 {
                    _ = try await engine.release(
                        tenant: try StorePattern.tenant(tenant),
                        topic: try StorePattern.topic(),
                        limit: 5,
                        now: now()
                    )
                }
            }
        }
    }

    private struct Sent {
        let lease: Lease
        let apnsID: APNSID
    }

    private func finish(_ sending: [Sent], _ random: inout SeededRandom) async throws {
        let time = now()
        let outcomes = sending.map { Self.outcome($0.lease, time, &random) }
        for outcome in outcomes { say(.finishing(outcome.lease.id, outcome.verdict.word)) }
        let results = try await engine.finish(outcomes, now: now())
        var accepted: [Sent] = []
        for (one, (outcome, result)) in zip(sending, zip(outcomes, results)) {
            guard case .recorded(let state) = result else { continue }
            let isAttempt = outcome.attempt != nil
            say(isAttempt ? .finished(one.lease.id, state.word) : .putOff(one.lease.id, state.word))
            if state.isFinal { shared.backlog.subtract(1, ordering: .relaxed) }
            if state == .accepted, Bool.random(using: &random) { accepted.append(one) }
        }
        guard !accepted.isEmpty else { return }
        for one in accepted { say(.receipting(one.lease.id)) }
        let redemptions = try await engine.redeem(
            accepted.map { StorePattern.receiptHash(of: $0.apnsID) },
            now: time
        )
        // The others wait for no receipt.
        for (one, redemption) in zip(accepted, redemptions) where redemption != .unknown {
            say(.receipted(one.lease.id))
        }
    }

    private static func outcome(_ lease: Lease, _ time: Timestamp, _ random: inout SeededRandom) -> Outcome {
        let answered = Attempt(time: time, connection: .answered, status: 200, uniqueID: "unique")
        let refused = Attempt(time: time, connection: .answered, status: 400, reason: "BadTopic")
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<12: return Outcome(lease: lease, attempt: answered, verdict: .accepted)
        case 12..<15:
            let attempt = Attempt(time: time, connection: Bool.random(using: &random) ? .ambiguous : .notProcessed)
            return Outcome(lease: lease, attempt: attempt, verdict: .retry(at: time.advanced(by: .milliseconds(20))))
        case 15..<17: return Outcome(lease: lease, attempt: refused, verdict: .dead(.rejected))
        case 17..<18: return Outcome(lease: lease, attempt: refused, verdict: .dead(.undeliverable))
        case 18: return Outcome(lease: lease, attempt: refused, verdict: .park)
        default:
            let verdict: Verdict =
                Bool.random(using: &random) ? .park : .retry(at: time.advanced(by: .milliseconds(20)))
            return Outcome(lease: lease, attempt: nil, verdict: verdict)
        }
    }

    private func claim(_ seeded: SeededRandom) async throws {
        var random = seeded
        while !isOver {
            let claimed = try await engine.claimFallbacks(limit: 8, now: now())
            if claimed.isEmpty {
                await Task.yield()
                continue
            }
            let sentCount = Int.random(in: 0...claimed.count, using: &random)
            let (some, others) = (claimed.prefix(sentCount), claimed.dropFirst(sentCount))
            say(.claiming(count: some.count))
            var sent: [ClaimedFallback] = []
            for fallback in some where try await engine.beginFallback(fallback.entry.id) {
                say(.claimed(fallback.entry.id))
                sent.append(fallback)
            }
            say(.claims(count: some.count))
            let given = others.map {
                FallbackOutcome($0, .givenBack(due: $0.due, tried: $0.tried))
            }
            let ended = sent.map { FallbackOutcome($0, .ended(telling: .fallback)) }
            try await engine.finishFallbacks(given + ended, now: now())
            for fallback in sent { say(.reported(fallback.entry.id)) }
        }
    }

    private func tell(_ seeded: SeededRandom) async throws {
        var random = seeded
        while !isOver {
            let time = now()
            let limit = Int.random(in: 1...20, using: &random)
            let hooks = try await engine.takeHooks(
                limit: limit,
                now: time,
                leasedUntil: time.advanced(by: .seconds(60))
            )
            if hooks.isEmpty {
                await Task.yield()
                continue
            }
            for hook in hooks { say(.telling(hook.entry.id, hook.kind.word)) }
            let failedCount = Int.random(in: 0...2, using: &random)
            let retried = hooks.prefix(failedCount).map {
                HookOutcome($0, .retry(at: time.advanced(by: .milliseconds(30))))
            }
            let told = hooks.dropFirst(failedCount)
            try await engine.finishHooks(retried + told.map { HookOutcome($0, .done) })
            for hook in told { say(.told(hook.entry.id, hook.kind.word)) }
        }
    }

    private func register(_ seeded: SeededRandom) async throws {
        var random = seeded
        var version = seed
        while !isOver {
            let device = Int.random(in: 0..<Self.deviceCount, using: &random)
            if Int.random(in: 0..<8, using: &random) == 0 {
                say(.deleting(device: device))
                _ = try await engine.delete([try StorePattern.registration(device).key])
                say(.deleted(device: device))
            } else {
                version &+= 1
                say(.putting(device: device, version: version))
                _ = try await engine.put([try StorePattern.registration(device, version: version)], now: now())
                say(.put(device: device, version: version))
            }
        }
    }
}

/// Requests that follow from a number.
package enum WorkRequest {
    package static func tenant(_ number: UInt64) throws -> TenantID { try StorePattern.tenant(1 + Int(number % 3)) }

    package static func make(_ number: UInt64, count: Int) throws -> OutboxRequest {
        try OutboxRequest(
            tenant: try tenant(number),
            idempotency: try StorePattern.idempotency("request \(number)", body: number),
            entries: try (0..<UInt64(count)).map { offset in try entry(number + offset) }
        )
    }

    package static func entry(_ number: UInt64) throws -> NewEntry {
        var entry = try StorePattern.entry(
            number,
            lane: Lane.allCases[Int(number % 3)],
            attemptLimit: number % 4 == 0 ? 2 : nil
        )
        if number % 2 == 0 { entry.receiptHash = StorePattern.receiptHash(of: entry.apnsID) }
        if number % 3 != 0 { entry.fallbackAfter = .milliseconds(Int64(number % 50)) }
        entry.isReported = number % 5 < 3
        return entry
    }
}

extension Verdict {
    /// The entry's next state, limits apart.
    package var word: String {
        switch self {
        case .accepted: "accepted"
        case .retry: "queued"
        case .park: "parked"
        case .dead: "dead"
        }
    }
}

extension EntryState {
    package var word: String {
        switch self {
        case .queued: "queued"
        case .sending: "sending"
        case .parked: "parked"
        case .accepted: "accepted"
        case .delivered: "delivered"
        case .dead: "dead"
        case .expired: "expired"
        }
    }
}

extension HookKind {
    package var word: String {
        switch self {
        case .dead: "dead"
        case .expired: "expired"
        case .delivered: "delivered"
        case .resendRequested: "resend"
        case .fallback: "fallback"
        case .fallbackUncertain: "fallback-uncertain"
        }
    }
}

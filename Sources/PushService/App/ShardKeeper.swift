package import Networking
import Platform
package import PushStore
import ServiceParts

/// Keeps this relay's leases on shards: renews them, takes free shards over up to its share, gives surplus ones back
/// when nothing of theirs is in flight, and all at the end.
///
/// With SQLite the file's lock keeps other relays out, and all shards are this relay's from the opening on.
package final class ShardKeeper: ServicePart {
    package struct Terms: Sendable {
        /// A relay that stops is replaced after it.
        package var term = Duration.seconds(30)
        package var interval = Duration.seconds(10)
        package var intervalAfterFailure = Duration.seconds(2)
        /// While shards are retired that have entries in flight.
        package var intervalOfHandover = Duration.milliseconds(100)
        /// Time before a lease's end in which no work begins, for what has begun.
        package var margin = Duration.seconds(5)

        package init() {}
    }

    private final class State {
        var timer: LoopTimer?
        var isStopped = true
        var isFailing = false
    }

    package let name: StaticString = "shards"
    private let context: ServiceContext
    private let wanted: ShardSet
    private let terms: Terms
    private let willTake: @Sendable () -> Void
    private let didCount: @Sendable (_ relayCount: Int) -> Void
    private let busyShards: @Sendable () -> ShardSet
    private let state: LoopBound<State>

    /// - Parameters:
    ///   - wanted: Shards to take over when they are free.
    ///   - busyShards: shards with entries in flight; called on the loop.
    ///   - didCount: called on the loop with the number of living relays, this one among them.
    ///   - willTake: called on the loop before shards become the relay's: their queues may hold anything.
    package init(
        _ context: ServiceContext,
        wanted: ShardSet = .all,
        terms: Terms = Terms(),
        busyShards: @escaping @Sendable () -> ShardSet = { .none },
        didCount: @escaping @Sendable (_ relayCount: Int) -> Void = { _ in },
        willTake: @escaping @Sendable () -> Void
    ) {
        self.context = context
        self.wanted = wanted
        self.terms = terms
        self.busyShards = busyShards
        self.willTake = willTake
        self.didCount = didCount
        state = LoopBound(State(), to: context.loop)
    }

    package func start() async {
        await keepOnLoop()
        await context.loop.run { [self] in
            state.value.isStopped = false
            arm()
        }
    }

    package func reload(_ next: LoadedConfiguration) {}

    /// Leaves what is in flight to the next owner.
    package func drain(until deadline: MonotonicTime) async {
        await context.loop.run { [self] in
            state.value.isStopped = true
            state.value.timer?.cancel()
            state.value.timer = nil
        }
        let leases = context.shards.all
        for lease in leases.all { context.shards.didLose(lease) }
        // Unreturned leases end by themselves.
        try? await context.store.giveBack(leases)
    }

    private func arm() {
        let state = state.value
        guard !state.isStopped else { return }
        let isHandingOver = !context.shards.retired.isEmpty
        let interval =
            isHandingOver ? terms.intervalOfHandover : state.isFailing ? terms.intervalAfterFailure : terms.interval
        state.timer = context.loop.schedule(after: interval) { [weak self] in
            guard let self else { return }
            // Arms the next timer at its end: there is one at a time.
            Task(executorPreference: self.context.loop) { [self] in
                await keep()
                arm()
            }
        }
    }

    private func keepOnLoop() async {
        await Task(executorPreference: context.loop) { [self] in await keep() }.value
    }

    /// Renews all leases, then takes free shards over. On the loop.
    package func keep() async {
        let (store, shards) = (context.store, context.shards)
        let held = shards.all
        // From before the question: the store may count from any time after it.
        var deadline = deadline()
        do throws(StoreError) {
            let lost = try await store.renew(held, lasting: terms.term)
            shards.didRenew(held.only(ShardSet.all.subtracting(lost)), until: deadline)
            if !lost.isEmpty {
                for shard in lost.shards { held[shard].map(shards.didLose) }
                context.log.event("shards-lost", .warning, at: context.clock.now(), [("count", lost.count)])
            }
            // A dead relay counts no longer when its leases end: the others' shares have room for its shards.
            let survey = try await store.survey(by: held.relay, lasting: terms.term - terms.margin)
            didCount(survey.relayCount)
            let owned = shards.all.shards
            shards.retire(survey.surplus(of: owned))
            try await giveBackRetired()
            let missing = survey.wanted(by: held.relay, owning: owned, of: wanted)
            if !missing.isEmpty {
                deadline = self.deadline()
                let taken = try await store.acquire(
                    missing,
                    for: held.relay,
                    lasting: terms.term,
                    now: context.clock.now()
                )
                didTake(taken, until: deadline)
            }
            state.value.isFailing = false
        } catch {
            guard !state.value.isFailing else { return }
            state.value.isFailing = true
            context.log.event("shards-not-renewed", .error, at: context.clock.now(), [("error", "\(error)")])
        }
    }

    /// Nothing begins in retired shards, and soon nothing is in flight there.
    private func giveBackRetired() async throws(StoreError) {
        let (store, shards) = (context.store, context.shards)
        let idle = shards.all.only(shards.retired.subtracting(busyShards()))
        guard !idle.isEmpty else { return }
        try await store.giveBack(idle)
        for lease in idle.all { shards.didLose(lease) }
        context.log.event("shards-given-back", at: context.clock.now(), [("count", idle.shards.count)])
    }

    private func deadline() -> Int64 {
        context.shards.clock() + Int64((terms.term - terms.margin) / .milliseconds(1))
    }

    private func didTake(_ taken: ShardTakeover, until deadline: Int64) {
        guard !taken.leases.isEmpty else { return }
        willTake()
        context.shards.didTake(taken.leases, until: deadline)
        let uncertainCount = taken.uncertainFallbacks.count
        context.metrics.withLock { $0.didEndFallback(.uncertain, count: uncertainCount) }
        for entry in taken.uncertainFallbacks {
            context.log.fallback("fallback-uncertain", entry, "interrupted", at: context.clock.now())
        }
        context.log.event(
            "shards-taken",
            at: context.clock.now(),
            [("count", taken.leases.shards.count), ("interrupted", taken.interruptedCount)]
        )
    }
}

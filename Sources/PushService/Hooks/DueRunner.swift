package import Envelope
package import PushStore
import Transport

/// Drains due work from the store while there is room for it, sends it to tenants' servers in fair turns, and tells the store
/// what became of it. Lives on the context's loop.
package protocol DueRunner: Actor {
    /// What is taken from the store, and sent.
    associatedtype Work: Sendable
    /// What the store hears of it.
    associatedtype Outcome: Sendable

    nonisolated var context: ServiceContext { get }
    /// The runner's own state.
    var turn: DueTurn<Work, Outcome> { get set }
    /// The log's word for a store that fails.
    static var storeFailureEvent: StaticString { get }

    /// Takes what is due from the store.
    ///
    /// - Parameters:
    ///   - room: no more than it.
    ///   - now: the time.
    /// - Returns: what is to be sent, and whose it is.
    /// - Throws: what the store says; nothing was taken then.
    func take(_ room: ClaimRoom, now: Timestamp) async throws(StoreError) -> [(tenant: TenantID, work: Work)]

    /// - Returns: when the next is due that there is room for; nil: nothing waits.
    func nextDue(_ room: ClaimRoom) async throws(StoreError) -> Timestamp?

    /// How much of a tenant's goes in one call.
    func countOfCall(to tenant: TenantID) -> Int

    /// Makes one call. All that it carries has its `end` by its return.
    ///
    /// - Returns: false where the server was not reached, or said nothing.
    func call(_ works: [Work], of tenant: TenantID) async -> Bool

    /// What the store hears of work that no call was made for.
    func unsent(_ work: Work) -> Outcome

    /// Hands outcomes to the store.
    ///
    /// - Throws: what the store says: they are handed in again.
    func write(_ outcomes: [Outcome]) async throws(StoreError)

    /// - Returns: when work with that outcome is due again; nil for never.
    func dueAgain(_ outcome: Outcome) -> Timestamp?
}

/// What a `DueRunner` knows of its own work.
package struct DueTurn<Work: Sendable, Outcome: Sendable> {
    var bell: LoopBell
    /// What was taken and waits for its call.
    fileprivate(set) var turns: SendTurns<TenantID, Work>
    /// How much is in memory of what was taken.
    fileprivate(set) var heldCount = 0
    fileprivate var held: [TenantID: Int] = [:]
    /// Tenants that more is taken of when half of what is held of them is gone.
    fileprivate var crowded: Set<TenantID> = []
    fileprivate var isFull = false
    fileprivate var outcomes: [Outcome] = []
    fileprivate var isWriting = false
    fileprivate var isTaking = false
    fileprivate(set) var isClosed = false
    /// What waits until nothing is held.
    fileprivate(set) var idle: [CheckedContinuation<Void, Never>] = []

    init(_ context: ServiceContext, _ limits: SendLimits) {
        bell = LoopBell(loop: context.loop)
        turns = SendTurns(limits)
    }
}

/// Held in memory at one time, of all tenants; a hook is less than a kilobyte.
private let heldCountMax = 4_096
private let heldCountMaxOfTenant = 1_024
/// Taken in one transaction.
private let takeCountMax = 256
private let storeFailureWait = Duration.seconds(5)

extension DueRunner {
    /// Something may be due, or due at another time than before. From any thread.
    package nonisolated func ring() {
        context.loop.perform { self.assumeIsolated { $0.look() } }
    }

    /// From now on nothing is taken.
    package func close() {
        turn.isClosed = true
        turn.bell.cancel()
        endIfIdle()
    }

    /// Gives back what waits for its call, and takes nothing more.
    package func stop() {
        close()
        for (tenant, work) in turn.turns.removeAll() { end(unsent(work), of: tenant) }
    }

    /// Until nothing is held any more, or `abandon`.
    package func drained() async {
        await withCheckedContinuation { waiter in
            // Asked in here and not before: a task that does not prefer this executor waits in its queue once more on the way,
            // and the end may come meanwhile.
            guard !isIdle else { return waiter.resume() }
            turn.idle.append(waiter)
        }
    }

    /// Ends the wait for what is held, which stays as it is on the disk.
    package func abandon() {
        let waiting = turn.idle
        turn.idle = []
        for waiter in waiting { waiter.resume() }
    }

    // MARK: For the runner itself

    /// Work that was taken has this outcome, and is held no more.
    func end(_ outcome: Outcome, of tenant: TenantID) {
        turn.outcomes.append(outcome)
        let heldCount = turn.held[tenant, default: 1] - 1
        turn.held[tenant] = heldCount > 0 ? heldCount : nil
        turn.heldCount -= 1
        let hasRoom = turn.isFull && turn.heldCount <= heldCountMax / 2
        if hasRoom || turn.crowded.contains(tenant) && heldCount <= room(of: tenant) / 2 { look() }
        guard !turn.isWriting else { return }
        turn.isWriting = true
        // It ends when there is nothing to write.
        Task(executorPreference: context.loop) { await self.writeAll() }
    }

    // MARK: Taking

    private func look() {
        turn.bell.isRung = true
        guard !turn.isTaking, !turn.isClosed else { return }
        turn.isTaking = true
        // It ends when nothing is due, when there is no room, or with `close`.
        Task(executorPreference: context.loop) { await self.takeAll() }
    }

    private func takeAll() async {
        turn.bell.cancel()
        while turn.bell.isRung, !turn.isClosed {
            turn.bell.isRung = false
            do throws(StoreError) {
                let room = room()
                guard room.whole > 0 else { break }
                let taken = try await take(room, now: context.clock.now())
                for (tenant, work) in taken { hold(work, of: tenant) }
                startCalls()
                if taken.count == room.whole {
                    turn.bell.isRung = true
                } else if let next = try await nextDue(self.room()) {
                    if !taken.isEmpty, next <= context.clock.now() { turn.bell.isRung = true }
                    wake(at: next)
                }
            } catch {
                noteFailure(error)
                guard !turn.isClosed else { break }
                turn.bell.ring(after: storeFailureWait) { self.assumeIsolated { $0.look() } }
                break
            }
        }
        turn.isTaking = false
        endIfIdle()
    }

    private func hold(_ work: Work, of tenant: TenantID) {
        turn.held[tenant, default: 0] += 1
        turn.heldCount += 1
        turn.turns.add(work, of: tenant)
    }

    /// What may be taken now. Notes where there is none, so that a look follows when there is.
    private func room() -> ClaimRoom {
        let ofTenants = turn.turns.tenants.reduce(into: [:]) { room, tenant in
            room[tenant] = max(0, self.room(of: tenant) - turn.held[tenant, default: 0])
        }
        turn.crowded = Set(ofTenants.filter { $0.value == 0 }.keys)
        turn.isFull = turn.heldCount >= heldCountMax
        let whole = max(0, min(takeCountMax, heldCountMax - turn.heldCount))
        return ClaimRoom(whole: whole, ofEach: 2 * turn.turns.limits.firstOfTenant, ofTenants: ofTenants)
    }

    /// As much of a tenant's as is on its way, and as much again.
    private func room(of tenant: TenantID) -> Int {
        min(2 * turn.turns.width(of: tenant) * countOfCall(to: tenant), heldCountMaxOfTenant)
    }

    /// Looks again at `time`.
    private func wake(at time: Timestamp) {
        guard !turn.isClosed else { return }
        turn.bell.ring(at: time, now: context.clock.now()) { self.assumeIsolated { $0.look() } }
    }

    private func noteFailure(_ error: StoreError) {
        context.log.event(Self.storeFailureEvent, at: context.clock.now(), [("error", "\(error)")])
    }

    // MARK: Sending

    private func startCalls() {
        while let (works, tenant) = turn.turns.next(count: { countOfCall(to: $0) }) {
            // It ends with its call, which `WebhookSender.stop` ends at the latest.
            Task(executorPreference: context.loop) { await self.makeCall(works, of: tenant) }
        }
    }

    private func makeCall(_ works: [Work], of tenant: TenantID) async {
        let began = context.clock.uptime()
        let wasAnswered = await call(works, of: tenant)
        let milliseconds = (context.clock.uptime() - began) / 1_000_000
        turn.turns.ended(tenant, wasAnswered: wasAnswered, milliseconds: milliseconds)
        startCalls()
    }

    // MARK: Writing

    private func writeAll() async {
        while !turn.outcomes.isEmpty {
            let batch = turn.outcomes
            turn.outcomes = []
            do throws(StoreError) {
                try await write(batch)
            } catch {
                noteFailure(error)
                turn.outcomes = batch + turn.outcomes
                context.loop.schedule(after: storeFailureWait) {
                    // It ends as the task before it.
                    self.assumeIsolated { _ = Task(executorPreference: $0.context.loop) { await self.writeAll() } }
                }
                return
            }
            if let next = batch.lazy.compactMap({ self.dueAgain($0) }).min() { wake(at: next) }
        }
        turn.isWriting = false
        endIfIdle()
    }

    private var isIdle: Bool { !turn.isTaking && !turn.isWriting && turn.heldCount == 0 }

    private func endIfIdle() {
        if isIdle { abandon() }
    }
}

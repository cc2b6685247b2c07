package import Envelope
import Networking
import Platform
package import PushStore
import ServiceParts

/// Drains due work from the store while there is room, and sends it to tenants' servers in fair turns. On the loop.
package protocol DueRunner: Actor {
    associatedtype Work: Sendable
    associatedtype Outcome: Sendable

    nonisolated var context: ServiceContext { get }
    var turn: DueTurn<Work, Outcome> { get set }
    static var storeFailureEvent: StaticString { get }

    /// - Throws: the store's error; nothing was taken then.
    func take(_ room: ClaimRoom, now: Timestamp) async throws(StoreError) -> [(tenant: TenantID, work: Work)]

    /// - Returns: Time of the next due work that has room; nil if none waits.
    func nextDue(_ room: ClaimRoom) async throws(StoreError) -> Timestamp?

    func countOfCall(to tenant: TenantID) -> Int

    /// Makes one call; on return each of its elements has ended by `end`.
    ///
    /// - Returns: false if the server was not reached or did not answer.
    func call(_ works: [Work], of tenant: TenantID) async -> Bool

    /// Outcome of work without a call.
    func unsent(_ work: Work) -> Outcome

    /// - Throws: the store's error; the outcomes are written again.
    func write(_ outcomes: [Outcome]) async throws(StoreError)

    /// - Returns: Time at which the work is due again; nil for never.
    func dueAgain(_ outcome: Outcome) -> Timestamp?
}

package struct DueTurn<Work: Sendable, Outcome: Sendable> {
    var alarm: LoopAlarm
    fileprivate(set) var turns: SendTurns<TenantID, Work>
    /// Taken work in memory.
    fileprivate(set) var heldCount = 0
    fileprivate var held: [TenantID: Int] = [:]
    /// Tenants without room: the next take follows half of their work.
    fileprivate var crowded: Set<TenantID> = []
    fileprivate var isFull = false
    fileprivate var outcomes: [Outcome] = []
    fileprivate var isWriting = false
    fileprivate var isTaking = false
    fileprivate(set) var isClosed = false
    /// Callers that wait until nothing is held.
    fileprivate(set) var idle: [CheckedContinuation<Void, Never>] = []

    init(_ context: ServiceContext, _ limits: SendLimits) {
        alarm = LoopAlarm(loop: context.loop)
        turns = SendTurns(limits)
    }
}

/// Limits of work in memory; a hook is less than a kilobyte.
private let heldCountMax = 4_096
private let heldCountMaxOfTenant = 1_024
private let takeCountMax = 256
private let storeFailureWait = Duration.seconds(5)

extension DueRunner {
    /// From any thread.
    package nonisolated func wake() {
        context.loop.perform { self.assumeIsolated { $0.look() } }
    }

    package func close() {
        turn.isClosed = true
        turn.alarm.cancel()
        endIfIdle()
    }

    /// Gives back waiting work and takes nothing more.
    package func stop() {
        close()
        for (tenant, work) in turn.turns.removeAll() { end(unsent(work), of: tenant) }
    }

    /// Waits until nothing is held, or `abandon`.
    package func drained() async {
        await withCheckedContinuation { waiter in
            // Checked in here: on the way a task that does not prefer this executor queues again, and the last work may
            // end.
            guard !isIdle else { return waiter.resume() }
            turn.idle.append(waiter)
        }
    }

    /// Held work stays as it is on disk.
    package func abandon() {
        let waiting = turn.idle
        turn.idle = []
        for waiter in waiting { waiter.resume() }
    }

    func end(_ outcome: Outcome, of tenant: TenantID) {
        turn.outcomes.append(outcome)
        let heldCount = turn.held[tenant, default: 1] - 1
        turn.held[tenant] = heldCount > 0 ? heldCount : nil
        turn.heldCount -= 1
        let hasRoom = turn.isFull && turn.heldCount <= heldCountMax / 2
        if hasRoom || turn.crowded.contains(tenant) && heldCount <= room(of: tenant) / 2 { look() }
        guard !turn.isWriting else { return }
        turn.isWriting = true
        // Ends when nothing is left to write.
        Task(executorPreference: context.loop) { await self.writeAll() }
    }

    private func look() {
        turn.alarm.isDue = true
        guard !turn.isTaking, !turn.isClosed else { return }
        turn.isTaking = true
        // Ends when nothing is due, without room, or with `close`.
        Task(executorPreference: context.loop) { await self.takeAll() }
    }

    private func takeAll() async {
        turn.alarm.cancel()
        while turn.alarm.isDue, !turn.isClosed {
            turn.alarm.isDue = false
            do throws(StoreError) {
                let room = room()
                guard room.whole > 0 else { break }
                let taken = try await take(room, now: context.clock.now())
                for (tenant, work) in taken { hold(work, of: tenant) }
                startCalls()
                if taken.count == room.whole {
                    turn.alarm.isDue = true
                } else if let next = try await nextDue(self.room()) {
                    if !taken.isEmpty, next <= context.clock.now() { turn.alarm.isDue = true }
                    wake(at: next)
                }
            } catch {
                noteFailure(error)
                guard !turn.isClosed else { break }
                turn.alarm.set(after: storeFailureWait) { self.assumeIsolated { $0.look() } }
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

    /// Notes missing room, for a take when there is some.
    private func room() -> ClaimRoom {
        let ofTenants = turn.turns.tenants.reduce(into: [:]) { room, tenant in
            room[tenant] = max(0, self.room(of: tenant) - turn.held[tenant, default: 0])
        }
        turn.crowded = Set(ofTenants.filter { $0.value == 0 }.keys)
        turn.isFull = turn.heldCount >= heldCountMax
        let whole = max(0, min(takeCountMax, heldCountMax - turn.heldCount))
        return ClaimRoom(whole: whole, ofEach: 2 * turn.turns.limits.firstOfTenant, ofTenants: ofTenants)
    }

    /// Twice the work in flight.
    private func room(of tenant: TenantID) -> Int {
        min(2 * turn.turns.width(of: tenant) * countOfCall(to: tenant), heldCountMaxOfTenant)
    }

    private func wake(at time: Timestamp) {
        guard !turn.isClosed else { return }
        turn.alarm.set(at: time, now: context.clock.now()) { self.assumeIsolated { $0.look() } }
    }

    private func noteFailure(_ error: StoreError) {
        context.log.event(Self.storeFailureEvent, .error, at: context.clock.now(), [("error", "\(error)")])
    }

    private func startCalls() {
        while let (works, tenant) = turn.turns.next(count: { countOfCall(to: $0) }) {
            // Ends with its call, at the latest by `WebhookSender.stop`.
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
                    // Ends as the one before.
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

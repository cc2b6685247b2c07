package import Envelope
package import PushStore
import Transport

/// Somebody who takes what is due from the store, batch after batch while there is room, and sleeps until the next is due.
/// Lives on the context's loop.
package protocol DueRunner: Actor {
    nonisolated var context: ServiceContext { get }
    /// Its own; nobody else touches it.
    var turn: DueTurn { get set }
    /// How much is in memory of what was taken.
    var heldCount: Int { get }
    /// Whether something that was taken still has to be written down.
    var isFinishing: Bool { get }
    /// The log's word for a store that fails.
    static var storeFailureEvent: StaticString { get }

    /// Takes one batch, and begins what is to become of each.
    ///
    /// - Parameter now: the time.
    /// - Returns: whether it was a full one: another may follow.
    /// - Throws: what the store says; nothing was taken then.
    func takeBatch(now: Timestamp) async throws(StoreError) -> Bool

    /// - Returns: when the next is due; nil: nothing waits.
    func nextDue() async throws(StoreError) -> Timestamp?
}

/// What a `DueRunner` knows of its own work.
package struct DueTurn {
    var bell: LoopBell
    fileprivate var isTaking = false
    fileprivate var isFull = false
    fileprivate(set) var isClosed = false
    /// Who waits for nothing to be held.
    fileprivate(set) var idle: [CheckedContinuation<Void, Never>] = []

    init(_ context: ServiceContext) { bell = LoopBell(loop: context.loop) }
}

/// Held in memory at one time, of all tenants; a hook is less than a kilobyte, a fallback has its entry's payload besides.
private let heldCountMax = 4_096
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

    /// Until nothing is held any more, or `abandon`.
    package func drained() async {
        await withCheckedContinuation { waiter in
            // Asked in here and not before: a task that does not prefer this executor waits in its queue once more on the way,
            // and the end may come meanwhile.
            guard !isIdle else { return waiter.resume() }
            turn.idle.append(waiter)
        }
    }

    /// Lets go of whoever waits; what is held stays as it is on the disk.
    package func abandon() {
        let waiting = turn.idle
        turn.idle = []
        for waiter in waiting { waiter.resume() }
    }

    // MARK: For the runner itself

    /// Something that was taken is held no more.
    func didRelease() {
        if turn.isFull, heldCount <= heldCountMax / 2 { look() }
        endIfIdle()
    }

    /// Looks again at `time`.
    func wake(at time: Timestamp) {
        guard !turn.isClosed else { return }
        turn.bell.ring(at: time, now: context.clock.now()) { self.assumeIsolated { $0.look() } }
    }

    func noteFailure(_ error: StoreError) {
        context.log.event(Self.storeFailureEvent, at: context.clock.now(), [("error", "\(error)")])
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
            turn.isFull = heldCount >= heldCountMax
            guard !turn.isFull else { break }
            do throws(StoreError) {
                if try await takeBatch(now: context.clock.now()) {
                    turn.bell.isRung = true
                } else if let next = try await nextDue() {
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

    private var isIdle: Bool { !turn.isTaking && !isFinishing && heldCount == 0 }

    private func endIfIdle() {
        if isIdle { abandon() }
    }
}

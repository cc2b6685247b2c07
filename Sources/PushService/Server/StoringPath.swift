import Envelope
import PushStore
import Synchronization

/// The last part of every submission's way, one for all routes: room at the dispatcher or a place behind what is queued, then
/// the disk. What comes together is stored together, in the order in which it came, so that each device's notifications keep
/// theirs. Lives on the loop.
final class StoringPath {
    /// Entries in one call of the store, unless one request has more: nobody waits long for others.
    static let weightMax = 512

    private let context: ServiceContext
    private let door: any DispatchDoor
    private var storing: CallBatch<StoringRun>?
    /// On its way into the queue of each lane.
    private var coming = DispatchLane.allCases.map { _ in SharedPlaces<TenantID>() }

    init(_ context: ServiceContext, _ door: any DispatchDoor) {
        self.context = context
        self.door = door
    }

    /// - Parameter run: its quota was taken; it ends once.
    func begin(_ run: StoringRun) {
        run.reservation = door.reserve(run.offer)
        if run.reservation == nil, let first = run.entries.first {
            let lane = DispatchLane(first.lane)
            let index = ServiceMetrics.index(lane)
            let (count, tenant) = (run.entries.count, run.offer.tenant)
            do throws(Problem) {
                try Admission.checkQueue(count, in: lane, of: tenant, beside: coming[index], context)
            } catch {
                didNotStore(run)
                return run.end(.refused(error))
            }
            coming[index].take(count, for: tenant)
        }
        batch.add(run)
    }

    /// Made with the first request: it refers to this.
    private var batch: CallBatch<StoringRun> {
        if let storing { return storing }
        let batch = CallBatch<StoringRun>(
            context.loop,
            weightMax: Self.weightMax,
            weight: { $0.entries.count },
            call: { [context] runs, completion in StoringCall(runs, context, completion).begin() },
            deliver: { [weak self] run, error in self?.didStore(run, error) }
        )
        storing = batch
        return batch
    }

    private func didStore(_ run: StoringRun, _ error: StoreError?) {
        if run.reservation == nil, let first = run.entries.first {
            let index = ServiceMetrics.index(DispatchLane(first.lane))
            coming[index].giveBack(run.entries.count, of: run.offer.tenant)
        }
        switch run.result {
        case .sending(let leases) where error == nil:
            if let reservation = run.reservation { door.didStore(reservation, leases) }
        case .queued where error == nil:
            if let first = run.entries.first { door.ring([first.lane]) }
        case .other(let result) where error == nil:
            didNotStore(run)
            return run.end(.repeated(result))
        default:
            didNotStore(run)
            return run.end(.failed(error ?? .damaged))
        }
        count(run)
        run.end(.stored)
    }

    private func didNotStore(_ run: StoringRun) {
        if let reservation = run.reservation {
            door.didNotStore(reservation)
        } else {
            door.didNotQueue(run.entries.map { QueueNote($0) })
        }
    }

    /// What is on the disk.
    private func count(_ run: StoringRun) {
        let entries = run.entries
        guard !entries.isEmpty else { return }
        let microseconds = (context.clock.uptime() - run.begun) / 1_000
        context.metrics.withLock { metrics in
            metrics.didAccept(
                entries.count,
                app: run.offer.bundleID,
                lane: DispatchLane(entries[0].lane),
                microseconds: microseconds
            )
            // Each is large, and is not copied for this look.
            for index in entries.indices where entries[index].receiptHash != nil { metrics.didAwaitReceipt() }
        }
    }
}

/// One request's notifications on their way to the disk. Lives on the loop.
final class StoringRun {
    enum End: Sendable {
        case stored
        /// It was there before, or its key belongs to another request.
        case repeated(EnqueueResult)
        case failed(StoreError)
        /// Nothing of it was tried: its queue is full.
        case refused(Problem)
    }

    let offer: SendOffer
    let idempotency: Idempotency?
    /// Of the request, in nanoseconds of the monotonic clock.
    let begun: Int64
    private let completion: (End) -> Void
    /// nil: they are to be queued.
    var reservation: SendReservation?
    /// Once it is stored, or was before.
    var result: StoringResult?

    /// - Parameters:
    ///   - offer: what is to be stored, with its devices.
    ///   - idempotency: by which a repetition is known.
    ///   - begun: of the request.
    ///   - completion: called once, on the loop.
    init(
        _ offer: SendOffer,
        idempotency: Idempotency?,
        begun: Int64,
        completion: @escaping (End) -> Void
    ) {
        self.offer = offer
        self.idempotency = idempotency
        self.begun = begun
        self.completion = completion
    }

    var entries: [NewEntry] { offer.entries }

    func end(_ end: End) { completion(end) }
}

import APNS
import Envelope
import Platform
import Primitives
import PushStore
import PushStorePattern
import TestSupport

/// Notifications stored as in flight and then finished; so many at once, each after the one before.
final class RoundTrips: Sendable {
    private struct Progress {
        var random = SeededRandom(seed: 0x526F_756E_6454_7269)
        var started = 0
        var ended = 0
        var microseconds: [Int] = []
        var failure: StoreError?
        var whenEnded: CheckedContinuation<Void, Never>?
    }

    private let store: SQLiteStore
    private let count: Int
    private let payload: [UInt8]
    private let progress = Guarded(Progress())
    private let clock = ContinuousClock()

    init(_ store: SQLiteStore, count: Int, byteCount: Int) {
        self.store = store
        self.count = count
        payload = StorePattern.payload(1, byteCount: byteCount)
    }

    func run(_ atOnce: Int) async throws {
        await withCheckedContinuation { continuation in
            progress.withLock { $0.whenEnded = continuation }
            for _ in 0..<atOnce { start() }
        }
        if let failure = progress.withLock({ $0.failure }) { throw failure }
    }

    /// - Returns: median and 99th percentile of the time until an entry was on the disk.
    func quantiles() -> (median: Int, slowest: Int) {
        let sorted = progress.withLock { $0.microseconds }.sorted()
        guard !sorted.isEmpty else { return (0, 0) }
        return (sorted[sorted.count / 2], sorted[sorted.count * 99 / 100])
    }

    private func start() {
        let next: (bytes: [UInt8], number: Int)? = progress.withLock { progress in
            guard progress.started < count else { return nil }
            progress.started += 1
            return (progress.random.bytes(count: 40), progress.started)
        }
        guard let next else { return }
        do {
            // The clock of 20,000 a second: ids in the order of time make their index cheap.
            let now = StorePattern.start.advanced(by: .milliseconds(20_000 + Int64(next.number / 20)))
            let request = try self.request(next.bytes, now: now)
            let start = clock.now
            store.enqueueSending([request], now: now) { [self] result in
                let waited = (clock.now - start).components.attoseconds / 1_000_000_000_000
                progress.withLock { $0.microseconds.append(Int(waited)) }
                switch result {
                case .success(let results): if case .sending(let leases) = results[0] { finish(leases[0], now: now) }
                case .failure(let error): end(error)
                }
            }
        } catch {
            end(error as? StoreError)
        }
    }

    private func request(_ bytes: [UInt8], now: Timestamp) throws -> OutboxRequest {
        let device = bytes[0..<4].reduce(0) { $0 << 8 | Int($1) } % 1_000_000
        var seeded = SeededRandom(seed: bytes[4..<12].reduce(0) { $0 << 8 | UInt64($1) })
        let entry = NewEntry(
            device: try StorePattern.device(device),
            topic: try StorePattern.topic(),
            apnsID: APNSID.timeOrdered(now: now, random: &seeded),
            lane: .urgent,
            pushType: .alert,
            deadline: StorePattern.start.advanced(by: .seconds(86_400)),
            payload: payload,
            trace: Trace(bytes: Array(bytes[12..<28]))
        )
        return try OutboxRequest(tenant: try StorePattern.tenant(1), idempotency: nil, entries: [entry])
    }

    private func finish(_ lease: Lease, now: Timestamp) {
        let attempt = Attempt(time: now, connection: .answered, status: 200, uniqueID: StoreBench.uniqueID)
        store.finish([Outcome(lease: lease, attempt: attempt, verdict: .accepted)], now: now) { [self] result in
            switch result {
            case .success(let results): end(results[0] == .recorded(.accepted) ? nil : .damaged)
            case .failure(let error): end(error)
            }
        }
    }

    private func end(_ failure: StoreError?) {
        let whenEnded: CheckedContinuation<Void, Never>? = progress.withLock { progress in
            progress.ended += 1
            progress.failure = progress.failure ?? failure
            guard progress.ended == count else { return nil }
            defer { progress.whenEnded = nil }
            return progress.whenEnded
        }
        if let whenEnded { whenEnded.resume() } else { start() }
    }
}

import Envelope
import Keys
import Networking
import Platform
import Primitives
import Sealing
import ServiceParts

/// Sealing, queue and posting, on a thread that may block on the disk. Requests and posts are tasks on its loop;
/// nothing else runs between two awaits.
final class SidecarCore {
    let configuration: SidecarConfiguration
    let loop: EventLoop
    let clock: ServiceClock
    let log: ServiceLog
    let store: SidecarStore
    let relay: RelayConnection
    let attachments: AttachmentStage?
    let loaded: LoadedSidecar
    /// Keys the digests of requests: a plain hash of words could be guessed. Derived from the sender's seed, for later
    /// processes.
    private let digestKey: SecretBytes
    var metrics = SidecarMetrics()
    var queue = PostingQueue()
    /// Copies being sealed, not in the store yet.
    var coming = SidecarStore.Load()
    /// Verified bundles of the file's devices, by id. Only this process changes them.
    var recipients: [String: Recipient] = [:]
    static let recipientCountMax = 10_000
    /// Words of recent messages, for re-sends, if kept.
    var words = RecentWords()
    var isStopping = false
    private var isRelayReached = true
    private var timer: LoopTimer?
    private var whenIdle: [CheckedContinuation<Void, Never>] = []

    init(
        _ loaded: consuming LoadedSidecar,
        store: SidecarStore,
        relay: RelayConnection,
        loop: EventLoop,
        clock: ServiceClock,
        log: ServiceLog
    ) {
        configuration = loaded.configuration
        attachments = loaded.host.map { AttachmentStage($0, loaded.configuration) }
        digestKey = loaded.sender.withSeed { seed in
            SecretBytes(byteCount: HMACSHA256.byteCount, storage: .guarded) { output in
                HMACSHA256.code(key: seed, into: &output) { $0.update("SealedPush sidecar request") }
            }
        }
        self.store = store
        self.relay = relay
        self.loop = loop
        self.clock = clock
        self.log = log
        self.loaded = loaded
    }

    var limits: SidecarLimits { configuration.limits }
    var pins: SidecarPins { SidecarPins(store: LoopBound(store, to: loop)) }

    func digest(of body: [UInt8]) -> [UInt8] {
        let code = SecretBytes(byteCount: HMACSHA256.byteCount) { output in
            digestKey.withBytes { HMACSHA256.code(key: $0, into: &output) { $0.update(body) } }
        }
        return code.withBytes { [UInt8](copying: $0) }
    }

    /// Begins with what an earlier process left.
    func start() {
        do {
            for number in try store.waitingNumbers() { queue.add(number) }
        } catch {
            log.event("store-failed", .error, at: clock.now(), [("error", "\(error)")])
        }
        pump()
        upkeep()
    }

    func enqueue(_ number: Int64) {
        queue.add(number)
        pump()
    }

    private func pump() {
        guard !isStopping else { return endIfIdle() }
        while let number = queue.next(now: milliseconds) {
            let core = LoopBound(self, to: loop)
            // Ends with the relay's answer; the queue counts it.
            Task(executorPreference: loop) {
                let core = core.value
                core.didPost(number, await core.post(number))
            }
        }
        timer?.cancel()
        timer = queue.wakeTime.map { time in
            loop.schedule(after: .milliseconds(max(1, time - milliseconds))) { [weak self] in self?.pump() }
        }
    }

    private func didPost(_ number: Int64, _ outcome: PostingQueue.Outcome) {
        noteRelay(outcome)
        queue.finish(number, outcome, now: milliseconds, jitter: Double.random(in: 0...1))
        pump()
    }

    private func noteRelay(_ outcome: PostingQueue.Outcome) {
        let isReached =
            switch outcome {
            case .settled, .again: true
            case .failed, .failedAlone: false
            }
        guard isReached != isRelayReached else { return }
        isRelayReached = isReached
        if isReached {
            log.event("relay-reached", at: clock.now())
        } else {
            log.event("relay-not-reached", .warning, at: clock.now())
        }
    }

    private var milliseconds: Int64 { clock.uptime() / 1_000_000 }

    /// Forgets old words and settled messages. Repeats itself.
    private func upkeep() {
        guard !isStopping else { return }
        words.forget(now: milliseconds)
        let now = clock.wall()
        let time = now.advanced(by: .zero - .seconds(Int64(limits.retentionHours) * 3_600))
        do {
            try store.purge(sealedBefore: time, now: now)
        } catch {
            log.event("purge-failed", .error, at: clock.now(), [("error", "\(error)")])
        }
        loop.schedule(after: .seconds(10)) { [weak self] in self?.upkeep() }
    }

    func keepWords(_ message: Message, of number: Int64) {
        guard limits.wordsMinutes > 0 else { return }
        words.keep(message, of: number, until: milliseconds + Int64(limits.wordsMinutes) * 60_000)
    }

    /// Starts nothing more, and returns when every POST has its answer.
    func stop() async {
        isStopping = true
        timer?.cancel()
        // The next process posts what has no answer by then, with the same key.
        loop.schedule(after: .seconds(limits.drainSeconds)) { [relay] in relay.stop() }
        await withCheckedContinuation { continuation in
            whenIdle.append(continuation)
            endIfIdle()
        }
        store.close()
    }

    private func endIfIdle() {
        guard isStopping, queue.posting.isEmpty else { return }
        let waiting = whenIdle
        whenIdle = []
        for continuation in waiting { continuation.resume() }
    }
}

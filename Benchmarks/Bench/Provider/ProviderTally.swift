private import Networking
private import Platform
private import Synchronization

final class ProviderTally: Sendable {
    /// A reading takes as long as a dozen notifications.
    private static let readingInterval = 4_096

    private let notificationCount: Int
    private let nextIndex = Atomic(0)
    private let notAcceptedCount = Atomic(0)
    private let failureCount = Atomic(0)
    private let histogram = Guarded(LatencyHistogram())
    private let progress: Guarded<Progress>
    private let memory: Guarded<Memory>

    /// A class, because `FootprintReading` cannot be copied.
    private final class Memory {
        private var footprint: FootprintReading
        private(set) var peakByteCount = 0

        init() throws(BenchError) { footprint = try FootprintReading() }

        func read() {
            // Without a reading the largest number fails every aim.
            peakByteCount = max(peakByteCount, (try? footprint.byteCount()) ?? .max)
        }
    }

    /// Answers in each round trip since the start.
    private struct Progress {
        let start: MonotonicTime
        let roundTrip: Duration
        var answerCounts: [Int] = []

        mutating func note() {
            let number = Int((MonotonicTime.now() - start) / roundTrip)
            while answerCounts.count <= number { answerCounts.append(0) }
            answerCounts[number] += 1
        }
    }

    /// - Parameter roundTrip: Zero if the answers of each round trip are not counted.
    init(notificationCount: Int, roundTrip: Duration) throws(BenchError) {
        self.notificationCount = notificationCount
        progress = Guarded(Progress(start: .now(), roundTrip: roundTrip))
        memory = Guarded(try Memory())
    }

    /// Index of the next one to send; nil after the last.
    func next() -> Int? {
        let index = nextIndex.add(1, ordering: .relaxed).oldValue
        if index % Self.readingInterval == 0 { memory.withLock { $0.read() } }
        return index < notificationCount ? index : nil
    }

    func note(status: Int, nanoseconds: Int64) {
        if status != 200 { notAcceptedCount.add(1, ordering: .relaxed) }
        histogram.withLock { $0.add(nanoseconds: UInt64(clamping: nanoseconds)) }
        progress.withLock { if $0.roundTrip > .zero { $0.note() } }
    }

    func noteFailure() { failureCount.add(1, ordering: .relaxed) }

    func report(nanoseconds: Int, cpuNanoseconds: Int) -> ProviderBenchReport {
        let latencies = histogram.withLock { $0 }
        let peakByteCount = memory.withLock { memory in
            memory.read()
            return memory.peakByteCount
        }
        return ProviderBenchReport(
            notificationCount: notificationCount,
            notAcceptedCount: notAcceptedCount.load(ordering: .relaxed),
            failureCount: failureCount.load(ordering: .relaxed),
            nanoseconds: nanoseconds,
            cpuNanoseconds: cpuNanoseconds,
            medianNanoseconds: Int(latencies.quantile(perMille: 500)),
            p99Nanoseconds: Int(latencies.quantile(perMille: 990)),
            peakByteCount: peakByteCount,
            answersPerRoundTrip: progress.withLock { $0.answerCounts }
        )
    }
}

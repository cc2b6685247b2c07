/// Times of one processor since the machine's start, in steps of 10 ms.
package struct ProcessorReading: Sendable {
    private let ticks: [Int]

    package init(_ number: Int) throws(BenchError) {
        // Eight kilobytes hold the lines of the first eighty processors.
        let lines = try ProcessReading.contents("/proc/stat").split(separator: UInt8(ascii: "\n"))
        guard let line = lines.first(where: { $0.starts(with: "cpu\(number) ".utf8) }) else {
            throw .operationFailed
        }
        ticks = line.split(separator: UInt8(ascii: " ")).dropFirst().map(ProcessReading.number)
        guard ticks.count >= 8 else { throw .operationFailed }
    }

    init(ticks: [Int]) { self.ticks = ticks }

    /// Shares of the time since an earlier reading of the same processor.
    ///
    /// - Parameter ownNanoseconds: Processor time of the process in question.
    /// - Returns: Nil if no tick has passed.
    package func share(
        since earlier: ProcessorReading,
        ownNanoseconds: Int,
        nanosecondsPerTick: Int = 10_000_000
    ) -> ProcessorShare? {
        // user, nice, system, idle, iowait, irq, softirq, steal; guests are in the first two.
        let spent = zip(ticks, earlier.ticks).prefix(8).map { max(0, $0 - $1) }
        let total = spent.reduce(0, +)
        guard total > 0 else { return nil }
        return ProcessorShare(
            ownPercent: min(100, ownNanoseconds / nanosecondsPerTick * 100 / total),
            idlePercent: spent[3] * 100 / total,
            diskPercent: spent[4] * 100 / total,
            stolenPercent: spent[7] * 100 / total
        )
    }
}

package struct ProcessorShare: Equatable, Sendable {
    /// The process in question.
    package let ownPercent: Int
    /// Idle.
    package let idlePercent: Int
    /// Idle while waiting for a disk.
    package let diskPercent: Int
    /// Another machine's.
    package let stolenPercent: Int

    /// - Parameter shares: At least one, all over equal times.
    package static func mean(_ shares: [ProcessorShare]) -> ProcessorShare {
        precondition(!shares.isEmpty)
        func mean(_ percent: (ProcessorShare) -> Int) -> Int { shares.map(percent).reduce(0, +) / shares.count }
        return ProcessorShare(
            ownPercent: mean(\.ownPercent),
            idlePercent: mean(\.idlePercent),
            diskPercent: mean(\.diskPercent),
            stolenPercent: mean(\.stolenPercent)
        )
    }

    /// Other processes, and the system's own work.
    package var otherPercent: Int { max(0, 100 - ownPercent - idlePercent - diskPercent - stolenPercent) }
}

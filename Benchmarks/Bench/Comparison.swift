private import Glibc

/// One of our operations and the sum of libsodium's bare calls for it, timed in the same run.
package struct Comparison: Sendable {
    package let name: String
    /// Maximum of ours, in thousandths of the sum.
    package let aimPerMille: Int
    /// CPU time of one operation: the median of all rounds.
    package let nanoseconds: Int
    /// CPU time of the sum: the median of all rounds.
    package let sumNanoseconds: Int
    package let parts: [(name: String, nanoseconds: Int)]

    /// Ours in thousandths of the sum: the median over the rounds, each with adjacent times.
    package let perMille: Int
    package var isMet: Bool { perMille <= aimPerMille }

    /// Runs ours and the parts in turn in each round, so that a slower processor slows all of them; the medians exclude
    /// other load of the machine. No part uses another's result: the sum has no overhead at all.
    ///
    /// - Parameters:
    ///   - aimPerMille: Maximum of ours, in thousandths of the sum.
    ///   - rounds: 1 or more.
    ///   - unit: Operations in one call of `ours`.
    init(
        _ name: String,
        aimPerMille: Int,
        rounds: Int,
        unit: Int = 1,
        ours: () -> Void,
        against parts: [SodiumCall]
    ) {
        let batch = 50
        var ourTimes: [Int] = []
        var sums: [Int] = []
        var ratios: [Int] = []
        var partTimes = parts.map { _ in [Int]() }
        // The first round only warms caches up.
        for round in 0...rounds {
            let time = Self.time(count: unit > 1 ? 1 : batch, ours) / unit
            let times = parts.map { Self.time(count: batch, $0.run) }
            guard round > 0 else { continue }
            let sum = max(1, times.reduce(0, +))
            ourTimes.append(time)
            sums.append(sum)
            ratios.append((time * 1_000 + sum / 2) / sum)
            for (index, time) in times.enumerated() { partTimes[index].append(time) }
        }
        self.name = name
        self.aimPerMille = aimPerMille
        nanoseconds = Self.median(ourTimes)
        sumNanoseconds = Self.median(sums)
        perMille = Self.median(ratios)
        self.parts = zip(parts, partTimes).map { (name: $0.name, nanoseconds: Self.median($1)) }
    }

    /// - Returns: Nanoseconds of this thread's CPU time for one operation.
    static func time(count: Int = 1, _ body: () -> Void) -> Int {
        let start = cpuNanoseconds
        for _ in 0..<count { body() }
        return (cpuNanoseconds - start) / count
    }

    private static var cpuNanoseconds: Int {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    static func median(_ times: [Int]) -> Int { times.sorted()[times.count / 2] }
}

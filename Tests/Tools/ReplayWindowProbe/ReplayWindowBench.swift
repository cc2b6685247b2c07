import Envelope
import Glibc
import Keys
package import Opening
import Primitives

/// Times checks, on the wall and as the thread's own processor time (which other processes on the machine do not
/// lengthen), of a full window: 26 senders, each at its quota, so that every new id evicts.
package struct ReplayWindowBench {
    private let folder: String
    private static let senderCount = 26
    private static let fillCount = 4_400
    private static let checkCount = 100_000

    /// - Parameter folder: an empty one.
    package init(folder: String) { self.folder = folder }

    package func run(report: (String) -> Void) throws(ReplayWindowError) {
        var random = SystemRandom()
        let window = try ReplayWindow(folder: folder, ifMissing: .create, random: &random)
        let senders = (0..<Self.senderCount).map { ProbeMessages.sender(UInt64($0)) }
        func stamp(_ number: UInt64) -> MessageStamp {
            ProbeMessages.stamp(number, from: senders[Int(number) % Self.senderCount])
        }
        var number: UInt64 = 0
        for _ in 0..<Self.senderCount * Self.fillCount {
            if case .new(let claim) = try window.claim(stamp(number)) {
                try window.commit(claim)
            }
            number += 1
        }

        var checks = Times()
        var commits = Times()
        var newCount = 0
        for _ in 0..<Self.checkCount {
            let stamp = stamp(number)
            number += 1
            let verdict = try checks.measure { () throws(ReplayWindowError) in
                try window.claim(stamp)
            }
            guard case .new(let claim) = verdict else { continue }
            newCount += 1
            try commits.measure { () throws(ReplayWindowError) in try window.commit(claim) }
        }
        report("new ids, every sender at its quota (\(newCount) of \(Self.checkCount) new)\n\(checks.summary)")
        report("commits\n\(commits.summary)")

        var known = Times()
        for back in 1...UInt64(Self.checkCount / 2) {
            let stamp = stamp(number - back)
            let verdict = try known.measure { () throws(ReplayWindowError) in
                try window.claim(stamp)
            }
            if verdict != .replay { report("wrong: \(back) is no replay") }
        }
        report("known ids\n\(known.summary)")

        var opened = Times()
        for fresh in 0..<1_000 {
            let stamp = stamp(number + UInt64(fresh))
            try opened.measure { () throws(ReplayWindowError) in
                let again = try ReplayWindow(folder: folder, ifMissing: .refuse, random: &random)
                _ = try again.claim(stamp)
            }
        }
        report("open and first claim\n\(opened.summary)")
    }

    /// Microseconds.
    private struct Times {
        private var wall: [Double] = []
        private var processor: [Double] = []

        mutating func measure<Result>(
            _ body: () throws(ReplayWindowError) -> Result
        ) throws(ReplayWindowError) -> Result {
            let (startWall, startProcessor) = (Self.read(CLOCK_MONOTONIC), Self.read(CLOCK_THREAD_CPUTIME_ID))
            let result = try body()
            processor.append(Self.read(CLOCK_THREAD_CPUTIME_ID) - startProcessor)
            wall.append(Self.read(CLOCK_MONOTONIC) - startWall)
            return result
        }

        private static func read(_ clock: clockid_t) -> Double {
            var time = timespec()
            _ = unsafe clock_gettime(clock, &time)
            return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
        }

        var summary: String { "  processor: \(Self.summary(processor))\n  wall:      \(Self.summary(wall))" }

        private static func summary(_ times: [Double]) -> String {
            let sorted = times.sorted()
            let parts = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999), ("max", 1)]
            return parts.map { name, share in
                let value = sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
                return "\(name) \((value * 10).rounded() / 10)"
            }
            .joined(separator: ", ") + " us"
        }
    }
}

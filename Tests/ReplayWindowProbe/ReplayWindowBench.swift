import Envelope
import Keys
package import Opening
import Primitives

/// Times checks of a full window: 26 senders, each at its quota, so that every new id evicts.
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
        var number: UInt64 = 0
        func next() throws(ReplayWindowError) -> (ClaimVerdict, Double) {
            let stamp = ProbeMessages.stamp(number, from: senders[Int(number) % Self.senderCount])
            number += 1
            let start = ContinuousClock.now
            let verdict = try window.claim(stamp, now: ProbeMessages.now)
            let time = microseconds(ContinuousClock.now - start)
            if case .new(let claim) = verdict { try window.commit(claim) }
            return (verdict, time)
        }
        let filling = ContinuousClock.now
        for _ in 0..<Self.senderCount * Self.fillCount { _ = try next() }
        let rate = microseconds(ContinuousClock.now - filling) / Double(Self.senderCount * Self.fillCount)
        report("fill: \(rounded(rate)) us for a claim and its commit")

        var times: [Double] = []
        var newCount = 0
        for _ in 0..<Self.checkCount {
            let (verdict, time) = try next()
            if case .new = verdict { newCount += 1 }
            times.append(time)
        }
        report("new ids, every sender at its quota (\(newCount) of \(Self.checkCount) new): \(summary(times))")

        times.removeAll()
        for back in 0..<UInt64(Self.checkCount / 2) {
            let stamp = ProbeMessages.stamp(
                number - 1 - back,
                from: senders[Int((number - 1 - back) % UInt64(Self.senderCount))]
            )
            let start = ContinuousClock.now
            let verdict = try window.claim(stamp, now: ProbeMessages.now)
            times.append(microseconds(ContinuousClock.now - start))
            if verdict != .replay { report("wrong: \(back) is no replay") }
        }
        report("known ids: \(summary(times))")

        times.removeAll()
        for fresh in 0..<200 {
            let start = ContinuousClock.now
            let again = try ReplayWindow(folder: folder, ifMissing: .refuse, random: &random)
            let stamp = ProbeMessages.stamp(number + UInt64(fresh), from: senders[0])
            _ = try again.claim(stamp, now: ProbeMessages.now)
            times.append(microseconds(ContinuousClock.now - start))
        }
        report("open and first claim: \(summary(times))")
    }

    private func microseconds(_ duration: Duration) -> Double { duration / .microseconds(1) }

    private func summary(_ times: [Double]) -> String {
        let sorted = times.sorted()
        func at(_ share: Double) -> Double { sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] }
        let parts = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999), ("max", 1)]
        return parts.map { "\($0.0) \(rounded(at($0.1)))" }.joined(separator: ", ") + " us"
    }

    private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

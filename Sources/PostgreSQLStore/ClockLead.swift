package import Envelope

/// Lead of a relay's clock over the database's, which all relays follow: ids and due times of one are read by another. A
/// value.
///
/// A sample is wrong by half its round trip at most, and a request whose answer was awaited is older by a whole one.
package struct ClockLead {
    private struct Sample {
        let milliseconds: Int64
        let roundTrip: Int64
    }

    private static let sampleCountMax = 8

    /// Newest last.
    private var samples: [Sample] = []
    /// Lead in milliseconds by the shortest round trip; negative if the relay's clock is behind.
    package private(set) var milliseconds: Int64 = 0
    /// Of that sample, in milliseconds.
    package private(set) var roundTrip: Int64 = 0

    package init() {}

    /// Takes a sample.
    ///
    /// - Parameters:
    ///   - before: the relay's time when it asked.
    ///   - theirs: the database's time.
    ///   - after: the relay's time with the answer.
    package mutating func note(before: Timestamp, theirs: Timestamp, after: Timestamp) {
        // Set back during the call: it says nothing.
        guard after >= before else { return }
        let roundTrip = Int64(clamping: after.milliseconds) - Int64(clamping: before.milliseconds)
        let middle = Int64(clamping: before.milliseconds) + roundTrip / 2
        let sample = Sample(milliseconds: middle - Int64(clamping: theirs.milliseconds), roundTrip: roundTrip)
        // A clock was set: earlier samples mean nothing. Milliseconds round by one on each side.
        samples.removeAll { abs($0.milliseconds - sample.milliseconds) > ($0.roundTrip + roundTrip) / 2 + 2 }
        samples.append(sample)
        if samples.count > Self.sampleCountMax { samples.removeFirst() }
        guard let best = samples.min(by: { $0.roundTrip < $1.roundTrip }) else { return }
        (self.milliseconds, self.roundTrip) = (best.milliseconds, best.roundTrip)
    }
}

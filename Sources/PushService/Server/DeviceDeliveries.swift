import Envelope
import PushStore

/// States of the notifications to one device, in all and by day. A value.
struct DeviceDeliveries: Equatable {
    struct Counts: Equatable {
        private(set) var total = 0
        /// Queued, in flight, or parked.
        private(set) var waiting = 0
        /// Accepted by APNs.
        private(set) var accepted = 0
        /// Accepted, and opened by the device according to a receipt.
        private(set) var received = 0
        /// Failures by reason: the words of `dead-reason`, and `expired`.
        private(set) var failed: [String: Int] = [:]

        mutating func add(_ state: EntryState) {
            total += 1
            switch state {
            case .queued, .sending, .parked: waiting += 1
            case .accepted: accepted += 1
            case .delivered:
                accepted += 1
                received += 1
            case .dead(let reason): failed[reason.word, default: 0] += 1
            case .expired: failed[state.word, default: 0] += 1
            }
        }
    }

    /// Entries counted, newest first; each costs a read.
    static let entryCountMax = 500
    private static let millisecondsPerDay: UInt64 = 86_400_000

    let all: Counts
    /// Counts by UTC day of acceptance, in days since 1970.
    let days: [UInt64: Counts]
    /// True if older ones were left out.
    let isPart: Bool

    /// - Parameter entries: newest first, one more than `entryCountMax` if there are more.
    init(_ entries: [OutboxEntry]) {
        var all = Counts()
        var days: [UInt64: Counts] = [:]
        for entry in entries.prefix(Self.entryCountMax) {
            all.add(entry.state)
            days[entry.created.milliseconds / Self.millisecondsPerDay, default: Counts()].add(entry.state)
        }
        self.all = all
        self.days = days
        isPart = entries.count > Self.entryCountMax
    }

    /// Writes the members of an object.
    func write(to writer: inout JSONWriter) {
        writer.member("complete", !isPart)
        all.write(to: &writer)
        writer.name("days")
        writer.array { writer in
            for (day, counts) in days.sorted(by: { $0.key > $1.key }) {
                writer.object { writer in
                    let time = Timestamp(milliseconds: day * Self.millisecondsPerDay)
                    writer.member("day", String(time.text.prefix { $0 != "T" }))
                    counts.write(to: &writer)
                }
            }
        }
    }
}

extension DeviceDeliveries.Counts {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("notifications", total)
        writer.member("waiting", waiting)
        writer.member("accepted", accepted)
        writer.member("received", received)
        writer.name("failed")
        writer.object { writer in
            for (word, count) in failed.sorted(by: { $0.key < $1.key }) { writer.member(word, count) }
        }
    }
}

import Envelope
import PushStore

struct DeviceDeliveries: Equatable {
    struct Counts: Equatable {
        private(set) var total = 0
        /// Queued, in flight, or parked.
        private(set) var waiting = 0
        private(set) var accepted = 0
        /// Accepted, with a receipt.
        private(set) var received = 0
        /// Failures by the words of `dead-reason`, and `expired`.
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

    /// Each costs a read.
    static let entryCountMax = 500
    private static let millisecondsPerDay: UInt64 = 86_400_000

    let all: Counts
    /// By UTC day of acceptance, in days since 1970.
    let days: [UInt64: Counts]
    let isPart: Bool

    /// - Parameter entries: newest first, one more than `entryCountMax` if there are.
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

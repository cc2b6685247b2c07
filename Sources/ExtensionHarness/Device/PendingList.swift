internal import UserNotifications

/// Local notifications that wait for their triggers. A pure value.
struct PendingList: Sendable {
    struct Entry: Sendable {
        let local: LocalNotification
        /// Device's date of delivery.
        var date: Date
        var due: SimulatedClock.Instant
    }

    /// Most deliveries of one trigger when time jumps.
    static let repeatCountMax = 64
    /// Longest wait in seconds, some 30 years: it stays a `Duration`.
    private static let waitMax = 1e9

    /// In order of addition.
    private(set) var entries: [Entry] = []

    /// - Returns: False for a notification to deliver at once.
    mutating func add(_ local: LocalNotification, at now: SimulatedClock.Instant) -> Bool {
        remove([local.identifier])
        guard let date = local.trigger?.next(after: local.date) else { return false }
        entries.append(Entry(local: local, date: date, due: now.advanced(by: Self.wait(from: local.date, to: date))))
        return true
    }

    mutating func remove(_ identifiers: [String]) {
        let identifiers = Set(identifiers)
        entries.removeAll { identifiers.contains($0.local.identifier) }
    }

    mutating func removeAll() { entries = [] }

    /// Takes what is due, the earliest first; repeating entries stay.
    mutating func takeDue(_ now: SimulatedClock.Instant) -> [LocalNotification] {
        var due: [Entry] = []
        for index in entries.indices {
            for _ in 0..<Self.repeatCountMax where entries[index].due <= now {
                due.append(entries[index])
                guard let next = entries[index].next else { break }
                entries[index] = next
            }
            while entries[index].local.trigger?.repeats == true, entries[index].due <= now {
                entries[index].due = now.advanced(by: .seconds(1))
            }
        }
        entries.removeAll { $0.due <= now }
        return due.enumerated().sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }
            .map { $0.element.delivered }
    }

    private static func wait(from date: Date, to next: Date) -> Duration {
        let seconds = next.timeIntervalSince(date)
        return .seconds(seconds.isFinite ? min(max(seconds, 0), waitMax) : waitMax)
    }
}

extension PendingList.Entry {
    /// Next delivery of a repeating trigger.
    fileprivate var next: PendingList.Entry? {
        guard let trigger = local.trigger, trigger.repeats, let date = trigger.next(after: date) else { return nil }
        let wait = Duration.seconds(min(max(date.timeIntervalSince(self.date), 1), 1e9))
        return PendingList.Entry(local: local, date: date, due: due.advanced(by: wait))
    }

    fileprivate var delivered: LocalNotification {
        var copy = local
        copy.date = date
        return copy
    }
}

import Envelope

/// Words of recent messages, in memory alone, for re-sends.
struct RecentWords: Sendable {
    static let countMax = 10_000

    private struct Entry {
        let message: Message
        /// Milliseconds of a monotonic clock.
        let end: Int64
    }

    private var entries: [Int64: Entry] = [:]
    /// By end.
    private var order: [Int64] = []

    var count: Int { entries.count }

    subscript(number: Int64) -> Message? { entries[number]?.message }

    /// Keeps words until a time; forgets the oldest beyond 10,000 messages.
    mutating func keep(_ message: Message, of number: Int64, until end: Int64) {
        if entries.updateValue(Entry(message: message, end: end), forKey: number) == nil { order.append(number) }
        guard order.count > Self.countMax else { return }
        entries[order.removeFirst()] = nil
    }

    mutating func forget(now: Int64) {
        let kept = order.drop { number in entries[number].map { $0.end <= now } ?? true }
        guard kept.count < order.count else { return }
        for number in order.prefix(order.count - kept.count) { entries[number] = nil }
        order = Array(kept)
    }
}

package import APNS

/// Newest events, numbered for polling, without payloads and tokens.
package struct EventJournal {
    package struct Entry: Sendable, Equatable {
        /// From 1, without gaps.
        package let number: Int
        /// Seconds since 1970, on the simulator's clock.
        package let unixSeconds: Int64
        package let event: EventSummary
    }

    private struct Unread {
        let event: SimulatorEvent
        let unixSeconds: Int64
    }

    /// Events kept with payloads; beyond it they are summarized unread.
    private static let unreadCountMax = 10_000

    package var countMax: Int {
        didSet {
            makeEntries()
            entries = NewestElements(countMax: countMax, entries.all)
            unread = NewestElements(countMax: min(countMax, Self.unreadCountMax))
        }
    }
    private var entries: NewestElements<Entry>
    /// Events after `entries`, summarized on reading: that takes as long as checking a push.
    private var unread: NewestElements<Unread>
    /// Of the last entry, or the last event dropped unread.
    private var lastNumber = 0

    package init(countMax: Int) {
        precondition(countMax > 0)
        self.countMax = countMax
        entries = NewestElements(countMax: countMax)
        unread = NewestElements(countMax: min(countMax, Self.unreadCountMax))
    }

    package mutating func append(_ event: SimulatorEvent, unixSeconds: Int64) {
        // While more entries than unread events are kept, drop none.
        if unread.isFull, countMax > unread.countMax { makeEntries() }
        if unread.isFull { lastNumber += 1 }
        unread.append(Unread(event: event, unixSeconds: unixSeconds))
    }

    /// - Parameter number: last known event; 0: none.
    /// - Returns: later entries still kept, oldest first.
    package mutating func entries(after number: Int, limit: Int) -> [Entry] {
        makeEntries()
        let known = max(0, number - (lastNumber - entries.count))
        guard known < entries.count else { return [] }
        return (known..<min(entries.count, known + limit)).map { entries[$0] }
    }

    private mutating func makeEntries() {
        for unread in unread.all {
            for event in [unread.event] + unread.event.lints {
                lastNumber += 1
                entries.append(
                    Entry(number: lastNumber, unixSeconds: unread.unixSeconds, event: EventSummary(event))
                )
            }
        }
        unread.removeAll()
    }
}

/// Ring of the newest elements, in order.
private struct NewestElements<Element> {
    let countMax: Int
    private var elements: [Element] = []
    /// Index of the oldest element, once full.
    private var oldestIndex = 0

    init(countMax: Int, _ elements: [Element] = []) {
        self.countMax = countMax
        self.elements = elements.suffix(countMax)
    }

    var count: Int { elements.count }
    var isFull: Bool { elements.count == countMax }
    var all: [Element] { Array(elements[oldestIndex...] + elements[..<oldestIndex]) }

    subscript(offset: Int) -> Element { elements[(oldestIndex + offset) % elements.count] }

    mutating func append(_ element: Element) {
        guard isFull else { return elements.append(element) }
        elements[oldestIndex] = element
        oldestIndex = oldestIndex + 1 == countMax ? 0 : oldestIndex + 1
    }

    mutating func removeAll() { self = NewestElements(countMax: countMax) }
}

package struct EventSummary: Sendable, Equatable {
    /// One word, with hyphens: "accepted", "rejected", "stored".
    package var name: String
    package var device: Int?
    package var id: String?
    package var reason: Reason?
    package var detail: String?

    package init(_ event: SimulatorEvent) {
        switch event {
        case .accepted(let push, let device):
            self.init("accepted", device: device, id: Self.text(push))
        case .rejected(let reason, let push):
            self.init("rejected", id: Self.text(push))
            self.reason = reason
        case .injected(let fault, let push, let device):
            self.init("injected", device: device, id: Self.text(push))
            if case .request(.rejected(let reason)) = fault { self.reason = reason }
            detail = ([fault.name] + fault.fields.map { "\($0.name)=\($0.text)" }).joined(separator: ",")
        case .lint(let lint, let device):
            self.init("lint", device: device)
            detail = "\(lint)"
        case .delivery(let delivery): self.init(delivery)
        case .appIsGone(_, let bundleID, _):
            self.init("app-gone")
            detail = "\(bundleID)"
        case .connection(let event):
            self.init("connection")
            detail = "\(event)"
        case .channel(let event):
            self.init("channel")
            detail = "\(event)"
        case .legacy(let event):
            self.init("legacy")
            detail = "\(event)"
        case .deviceFailed(let error):
            self.init("device-failed")
            detail = "\(error)"
        }
    }

    private init(_ delivery: DeliveryEvent) {
        switch delivery {
        case .connected(let device): self.init("connected", device: device)
        case .disconnected(let device): self.init("disconnected", device: device)
        case .delivered(let id, let device): self.init("delivered", device: device, id: "\(id)")
        case .stored(let id, let device): self.init("stored", device: device, id: "\(id)")
        case .replaced(let id, _, let device): self.init("replaced", device: device, id: "\(id)")
        case .discarded(let id, let reason, let device):
            self.init("discarded", device: device, id: "\(id)")
            detail = "\(id) \(reason.rawValue)"
        }
    }

    private init(_ name: String, device: Int? = nil, id: String? = nil) {
        self.name = name
        self.device = device
        self.id = id
    }

    /// Lower case, as in deliveries, to join them.
    private static func text(_ push: ReceivedPush) -> String {
        String(decoding: push.answeredID, as: UTF8.self).lowercased()
    }
}

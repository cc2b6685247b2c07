package import APNS

/// The newest events, numbered, for a reader that asks what came after a number. No payload and no token leaves it.
package struct EventJournal {
    /// One event in few words.
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

    /// The most events that wait with their payloads. Beyond it they are put into words without being read.
    private static let unreadCountMax = 10_000

    package var countMax: Int {
        didSet {
            makeEntries()
            entries = NewestElements(countMax: countMax, entries.all)
            unread = NewestElements(countMax: min(countMax, Self.unreadCountMax))
        }
    }
    private var entries: NewestElements<Entry>
    /// Events behind the entries. Each is put into words when it is read, which takes as long as checking a push.
    private var unread: NewestElements<Unread>
    /// Of the last entry, or of the last event that was forgotten unread.
    private var lastNumber = 0

    package init(countMax: Int) {
        precondition(countMax > 0)
        self.countMax = countMax
        entries = NewestElements(countMax: countMax)
        unread = NewestElements(countMax: min(countMax, Self.unreadCountMax))
    }

    package mutating func append(_ event: SimulatorEvent, unixSeconds: Int64) {
        // Where more entries are kept, none is forgotten yet.
        if unread.isFull, countMax > unread.countMax { makeEntries() }
        // As many as may be kept will come behind it: then no entry is left of those before.
        if unread.isFull { lastNumber += 1 }
        unread.append(Unread(event: event, unixSeconds: unixSeconds))
    }

    /// - Parameters:
    ///   - number: of the last event that the caller knows; 0: none.
    ///   - limit: so many at most.
    /// - Returns: what came after it and is still kept, oldest first.
    package mutating func entries(after number: Int, limit: Int) -> [Entry] {
        makeEntries()
        let known = max(0, number - (lastNumber - entries.count))
        guard known < entries.count else { return [] }
        return (known..<min(entries.count, known + limit)).map { entries[$0] }
    }

    /// Puts what is unread into words, and the remarks on it.
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

/// The newest so many elements, in order.
private struct NewestElements<Element> {
    let countMax: Int
    private var elements: [Element] = []
    /// The oldest one, where there are as many as there may be.
    private var oldestIndex = 0

    init(countMax: Int, _ elements: [Element] = []) {
        self.countMax = countMax
        self.elements = elements.suffix(countMax)
    }

    var count: Int { elements.count }
    var isFull: Bool { elements.count == countMax }
    var all: [Element] { Array(elements[oldestIndex...] + elements[..<oldestIndex]) }

    /// `offset` counts from the oldest.
    subscript(offset: Int) -> Element { elements[(oldestIndex + offset) % elements.count] }

    mutating func append(_ element: Element) {
        guard isFull else { return elements.append(element) }
        elements[oldestIndex] = element
        oldestIndex = oldestIndex + 1 == countMax ? 0 : oldestIndex + 1
    }

    mutating func removeAll() { self = NewestElements(countMax: countMax) }
}

/// What happened, in the words that people and programs are told.
package struct EventSummary: Sendable, Equatable {
    /// "accepted", "rejected", "stored": one word, joined by hyphens.
    package var name: String
    package var device: Int?
    /// Of the push.
    package var id: String?
    /// Apple's, of a rejection.
    package var reason: Reason?
    /// What else there is to say.
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

    /// In lower case, as those of deliveries, so that a reader finds what belongs together.
    private static func text(_ push: ReceivedPush) -> String {
        String(decoding: push.answeredID, as: UTF8.self).lowercased()
    }
}

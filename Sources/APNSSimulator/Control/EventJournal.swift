package import APNS
import Envelope

/// The newest events, numbered, for whoever asks what came after a number. A value; no payload and no token in it.
package struct EventJournal: Sendable {
    /// One event in few words.
    package struct Entry: Sendable, Equatable {
        /// From 1, without gaps.
        package let number: Int
        /// Seconds since 1970, on the simulator's clock.
        package let unixSeconds: Int64
        package let event: EventSummary
    }

    private let countMax: Int
    /// A ring once it is full.
    private var entries: [Entry] = []
    private var oldestIndex = 0
    package private(set) var lastNumber = 0

    package init(countMax: Int) {
        precondition(countMax > 0)
        self.countMax = countMax
    }

    package mutating func append(_ event: SimulatorEvent, unixSeconds: Int64) {
        lastNumber += 1
        let entry = Entry(number: lastNumber, unixSeconds: unixSeconds, event: EventSummary(event))
        guard entries.count == countMax else { return entries.append(entry) }
        entries[oldestIndex] = entry
        oldestIndex = (oldestIndex + 1) % countMax
    }

    /// - Parameters:
    ///   - number: of the last event that the caller knows; 0: none.
    ///   - limit: so many at most.
    /// - Returns: what came after it and is still kept, oldest first.
    package func entries(after number: Int, limit: Int) -> [Entry] {
        let known = max(0, number - (lastNumber - entries.count))
        guard known < entries.count else { return [] }
        return (known..<min(entries.count, known + limit)).map { entries[(oldestIndex + $0) % entries.count] }
    }
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

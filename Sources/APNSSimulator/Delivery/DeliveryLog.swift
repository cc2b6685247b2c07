package import APNS
import DeviceLink

/// What became of each push, by its `apns-unique-id`: the newest so many, for so long. No token and no payload in it.
///
/// - Source: "Viewing the delivery log of a push notification" in Apple's Push Notifications Console.
package struct DeliveryLog: Sendable {
    package enum Outcome: Equatable, Sendable {
        case stored(StoredReason)
        /// The other's `apns-unique-id`.
        case replaced(by: APNSID)
        case delivered
        case discarded(DiscardReason)
    }

    package struct Step: Equatable, Sendable {
        package let outcome: Outcome
        /// Milliseconds since 1970.
        package let atMilliseconds: Int64
    }

    package struct Entry: Equatable, Sendable {
        package let uniqueID: APNSID
        package let id: APNSID
        /// Our own number for it.
        package let device: Int
        package let pushType: PushType
        package let priority: Priority
        /// Milliseconds since 1970.
        package let acceptedAtMilliseconds: Int64
        /// Oldest first.
        package fileprivate(set) var steps: [Step] = []

        init(_ push: DevicePush, uniqueID: APNSID, device: Int, atMilliseconds: Int64) {
            self.uniqueID = uniqueID
            id = push.id
            self.device = device
            pushType = push.pushType
            priority = push.priority
            acceptedAtMilliseconds = atMilliseconds
        }
    }

    /// A device that comes and goes can have one push stored again and again: beyond these only the last step is kept.
    package static let stepCountMax = 16

    private var entryCountMax: Int
    private var ageMillisecondsMax: Int64
    private var ring: [Entry] = []
    /// The push whose entry is the ring's first, until the ring is full and goes round.
    private var firstNumber = 0
    private var nextNumber = 0

    /// - Parameters:
    ///   - entryCountMax: 0 keeps nothing.
    ///   - ageMillisecondsMax: from acceptance.
    package init(entryCountMax: Int, ageMillisecondsMax: Int64) {
        self.entryCountMax = entryCountMax
        self.ageMillisecondsMax = ageMillisecondsMax
    }

    /// Keeps so many, for so long, from now on: the newest of those that there are.
    mutating func adopt(entryCountMax: Int, ageMillisecondsMax: Int64) {
        self.ageMillisecondsMax = ageMillisecondsMax
        guard entryCountMax != self.entryCountMax else { return }
        let kept = nextNumber - min(ring.count, entryCountMax)
        ring = (kept..<nextNumber).map { ring[place(of: $0)] }
        firstNumber = kept
        self.entryCountMax = entryCountMax
    }

    private func place(of number: Int) -> Int { (number - firstNumber) % entryCountMax }

    /// Begins an entry, over the oldest one if there are too many.
    ///
    /// - Returns: the push's place in the order of acceptance, which `note` takes.
    mutating func accept(_ entry: Entry) -> Int {
        defer { nextNumber += 1 }
        guard entryCountMax > 0 else { return nextNumber }
        if ring.count < entryCountMax {
            ring.append(entry)
        } else {
            ring[place(of: nextNumber)] = entry
        }
        return nextNumber
    }

    /// Adds a step to the push's entry, if that is still there.
    mutating func note(_ outcome: Outcome, of number: Int, atMilliseconds: Int64) {
        guard entryCountMax > 0, number >= nextNumber - ring.count else { return }
        let place = place(of: number)
        let step = Step(outcome: outcome, atMilliseconds: atMilliseconds)
        if ring[place].steps.count == Self.stepCountMax { ring[place].steps.removeLast() }
        ring[place].steps.append(step)
    }

    /// The pushes that are asked for.
    package enum Query: Equatable, Sendable {
        case all
        /// The answer's `apns-unique-id`: one push at most.
        case uniqueID(APNSID)
        /// The `apns-id`, which a push that was sent twice has twice.
        case id(APNSID)

        fileprivate func matches(_ entry: Entry) -> Bool {
            switch self {
            case .all: true
            case .uniqueID(let uniqueID): entry.uniqueID == uniqueID
            case .id(let id): entry.id == id
            }
        }
    }

    /// The ends of pushes that are not too old.
    ///
    /// - Parameters:
    ///   - query: which.
    ///   - countMax: at most so many.
    ///   - atMilliseconds: now.
    /// - Returns: newest first.
    package func entries(_ query: Query, countMax: Int, atMilliseconds: Int64) -> [Entry] {
        var entries: [Entry] = []
        for age in 0..<ring.count where entries.count < countMax {
            let entry = ring[place(of: nextNumber - 1 - age)]
            // Entries before it are older still, but for a clock that was set back.
            guard isCurrent(entry, atMilliseconds), query.matches(entry) else { continue }
            entries.append(entry)
        }
        return entries
    }

    private func isCurrent(_ entry: Entry, _ now: Int64) -> Bool {
        now - entry.acceptedAtMilliseconds <= ageMillisecondsMax
    }
}

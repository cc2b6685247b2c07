package import APNS
import DeviceLink

/// Log of each push by `apns-unique-id`, limited in number and age, without tokens and payloads.
///
/// - Source: "Viewing the delivery log of a push notification" in Apple's Push Notifications Console.
package struct DeliveryLog: Sendable {
    package enum Outcome: Equatable, Sendable {
        case stored(StoredReason)
        /// Other push's `apns-unique-id`.
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
        /// Our number of the device.
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

    /// Bounds a push stored at each reconnection: a new step replaces the last.
    package static let stepCountMax = 16

    private var entryCountMax: Int
    private var ageMillisecondsMax: Int64
    private var ring: [Entry] = []
    /// Number of the ring's first entry, until the ring wraps.
    private var firstNumber = 0
    private var nextNumber = 0

    /// - Parameters:
    ///   - entryCountMax: 0: none.
    ///   - ageMillisecondsMax: from acceptance.
    package init(entryCountMax: Int, ageMillisecondsMax: Int64) {
        self.entryCountMax = entryCountMax
        self.ageMillisecondsMax = ageMillisecondsMax
    }

    /// Keeps the newest entries.
    mutating func adopt(entryCountMax: Int, ageMillisecondsMax: Int64) {
        self.ageMillisecondsMax = ageMillisecondsMax
        guard entryCountMax != self.entryCountMax else { return }
        let kept = nextNumber - min(ring.count, entryCountMax)
        ring = (kept..<nextNumber).map { ring[place(of: $0)] }
        firstNumber = kept
        self.entryCountMax = entryCountMax
    }

    private func place(of number: Int) -> Int { (number - firstNumber) % entryCountMax }

    /// Overwrites the oldest if full.
    ///
    /// - Returns: push's number for `note`.
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

    mutating func note(_ outcome: Outcome, of number: Int, atMilliseconds: Int64) {
        guard entryCountMax > 0, number >= nextNumber - ring.count else { return }
        let place = place(of: number)
        let step = Step(outcome: outcome, atMilliseconds: atMilliseconds)
        if ring[place].steps.count == Self.stepCountMax { ring[place].steps.removeLast() }
        // Most are stored, then replaced or delivered.
        if ring[place].steps.isEmpty { ring[place].steps.reserveCapacity(2) }
        ring[place].steps.append(step)
    }

    package enum Query: Equatable, Sendable {
        case all
        /// Answer's `apns-unique-id`: at most one push.
        case uniqueID(APNSID)
        /// The `apns-id`, which repeated pushes share.
        case id(APNSID)

        fileprivate func matches(_ entry: Entry) -> Bool {
            switch self {
            case .all: true
            case .uniqueID(let uniqueID): entry.uniqueID == uniqueID
            case .id(let id): entry.id == id
            }
        }
    }

    /// Newest first, without those too old.
    package func entries(_ query: Query, countMax: Int, atMilliseconds: Int64) -> [Entry] {
        var entries: [Entry] = []
        for age in 0..<ring.count where entries.count < countMax {
            let entry = ring[place(of: nextNumber - 1 - age)]
            // Later entries may be younger after a clock set back.
            guard isCurrent(entry, atMilliseconds), query.matches(entry) else { continue }
            entries.append(entry)
        }
        return entries
    }

    private func isCurrent(_ entry: Entry, _ now: Int64) -> Bool {
        now - entry.acceptedAtMilliseconds <= ageMillisecondsMax
    }
}

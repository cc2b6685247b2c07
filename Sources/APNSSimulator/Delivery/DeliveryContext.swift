import APNS
import DeviceLink

struct DeliveryContext {
    private(set) var settings: DeliverySettings
    /// Milliseconds since 1970.
    var now: Int64 = 0
    var log: DeliveryLog
    private var dice: SeededDice
    private var effects: [DeliveryEffect] = []
    private var gone: [(installation: UInt32, atMilliseconds: Int64)] = []

    init(_ settings: DeliverySettings) {
        self.settings = settings
        dice = SeededDice(seed: settings.seed)
        log = DeliveryLog(
            entryCountMax: settings.logEntryCountMax,
            ageMillisecondsMax: settings.logDays * 86_400_000
        )
    }

    /// A new seed restarts the random numbers.
    mutating func adopt(_ settings: DeliverySettings) {
        if settings.seed != self.settings.seed { dice = SeededDice(seed: settings.seed) }
        self.settings = settings
        log.adopt(
            entryCountMax: settings.logEntryCountMax,
            ageMillisecondsMax: settings.logDays * 86_400_000
        )
    }

    mutating func takeEffects() -> [DeliveryEffect] {
        defer { effects = [] }
        return effects
    }

    mutating func takeGone() -> [(installation: UInt32, atMilliseconds: Int64)] {
        guard !gone.isEmpty else { return [] }
        defer { gone = [] }
        return gone
    }

    mutating func perform(_ effect: DeliveryEffect) {
        // As many as a push has that replaces a stored one.
        if effects.isEmpty { effects.reserveCapacity(2) }
        effects.append(effect)
    }

    mutating func stored(_ item: AcceptedItem, _ reason: StoredReason, device: Int) {
        log.note(.stored(reason), of: item.number, atMilliseconds: now)
        perform(.happened(.stored(item.push.id, device: device)))
    }

    mutating func replaced(_ item: AcceptedItem, by other: AcceptedItem, device: Int) {
        log.note(.replaced(by: other.uniqueID), of: item.number, atMilliseconds: now)
        perform(.happened(.replaced(item.push.id, by: other.push.id, device: device)))
    }

    mutating func delivered(_ item: AcceptedItem, device: Int) {
        log.note(.delivered, of: item.number, atMilliseconds: now)
        perform(.happened(.delivered(item.push.id, device: device)))
    }

    mutating func discarded(_ item: AcceptedItem, _ reason: DiscardReason, device: Int) {
        log.note(.discarded(reason), of: item.number, atMilliseconds: now)
        perform(.happened(.discarded(item.push.id, reason, device: device)))
    }

    mutating func appIsGone(_ installation: UInt32, atMilliseconds: Int64) {
        gone.append((installation, atMilliseconds))
    }

    mutating func swaps(_ one: AcceptedItem, _ other: AcceptedItem) -> Bool {
        guard settings.reorderMilliseconds > 0,
            abs(one.acceptedAt - other.acceptedAt) <= settings.reorderMilliseconds
        else { return false }
        return dice.isTrue(0.5)
    }

    mutating func ordered(_ group: [AcceptedItem]) -> [AcceptedItem] {
        settings.reorderMilliseconds > 0 ? group.shuffled(using: &dice) : group
    }

    /// Milliseconds until the token becomes invalid.
    mutating func invalidationDelay() -> Int64 {
        let longest = settings.lateInvalidationSeconds
        return longest > 0 ? Int64.random(in: 0...longest * 1000, using: &dice) : 0
    }
}

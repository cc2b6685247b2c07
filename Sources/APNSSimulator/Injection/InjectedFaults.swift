package import APNS

/// Selects pushes for faults: by rules in order, then at random. Deterministic for a seed and a sequence of pushes; no
/// clock, no socket.
package struct InjectedFaults: Sendable {
    package struct Entry: Sendable {
        /// From 1, never reused.
        package let id: Int
        package let rule: InjectionRule
        package fileprivate(set) var matchCount = 0
        package fileprivate(set) var faultCount = 0
        /// Own generator: other rules do not affect it.
        fileprivate var dice: SeededDice
    }

    package let seed: UInt64
    /// Percentage of faults among pushes that no rule claimed: 0 to 100.
    package var percent: Int
    package private(set) var entries: [Entry] = []
    /// Limits each push's cost.
    package static let entryCountMax = 1_000
    private var chance: SeededDice
    private var lastID = 0

    package init(seed: UInt64, percent: Int = 0, rules: [InjectionRule] = []) {
        self.seed = seed
        self.percent = percent
        chance = SeededDice(seed: seed)
        for rule in rules { add(rule) }
    }

    /// - Returns: nil if there are too many.
    @discardableResult
    package mutating func add(_ rule: InjectionRule) -> Int? {
        guard entries.count < Self.entryCountMax else { return nil }
        lastID += 1
        // Spreads the seeds far apart.
        let seed = seed ^ UInt64(lastID) &* 0x9E37_79B9_7F4A_7C15
        entries.append(Entry(id: lastID, rule: rule, dice: SeededDice(seed: seed)))
        return lastID
    }

    package mutating func remove(id: Int) -> Bool {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
        entries.remove(at: index)
        return true
    }

    package mutating func removeAll() {
        entries = []
        percent = 0
    }

    /// `next` need not be called.
    package var isIdle: Bool { entries.isEmpty && percent == 0 }

    /// Fault of the first rule that claims the push.
    package mutating func next(device: Int, topic: Topic) -> InjectedFault? {
        // Always drawn: rules do not shift the random sequence.
        let drawn = chance.injection(percent: percent)
        for index in entries.indices where entries[index].rule.matches(device: device, topic: topic) {
            if entries[index].claims() { return entries[index].rule.fault }
        }
        return drawn
    }
}

extension InjectedFaults.Entry {
    fileprivate mutating func claims() -> Bool {
        matchCount += 1
        let isDrawn = dice.isTrue(Double(rule.percent) / 100)
        guard matchCount > rule.after, faultCount < rule.count ?? .max, isDrawn else { return false }
        faultCount += 1
        return true
    }
}

extension SeededDice {
    /// Fault or nil, at the same cost in random numbers.
    fileprivate mutating func injection(percent: Int) -> InjectedFault? {
        let isFault = isTrue(Double(percent) / 100)
        var own = SeededDice(seed: next())
        return isFault ? own.injectedFault() : nil
    }

    /// Weighted by how often providers see each fault.
    private mutating func injectedFault() -> InjectedFault {
        switch Int.random(in: 0..<20, using: &self) {
        case 0..<4: .request(.rejected(pick(.internalServerError, .serviceUnavailable, .shutdown)))
        case 4..<7: .request(.rejected(.tooManyRequests))
        case 7: .request(.rejected(pick(.badDeviceToken, .unregistered, .expiredToken)))
        case 8..<11: .request(.slow(milliseconds(10...500)))
        // REFUSED_STREAM means that nothing was processed.
        case 11, 12: .request(.reset(code: 7, isProcessed: false))
        case 13: .request(.reset(code: pick(2, 8), isProcessed: pick(true, false)))
        case 14: .request(.silence(isProcessed: pick(true, false)))
        case 15, 16: .request(.connection(.goAway(goAway()), isProcessed: pick(true, false)))
        case 17: .request(.connection(pick(.reset, .cut, .close), isProcessed: pick(true, false)))
        case 18: .request(.connection(.deaf(for: milliseconds(10...500)), isProcessed: true))
        default: pick(.dropped, .duplicated)
        }
    }

    private mutating func goAway() -> FaultGoAway {
        FaultGoAway(
            cut: pick(.processed, .received),
            debugData: pick(.none, .reason(pick(.shutdown, .idleTimeout)))
        )
    }
}

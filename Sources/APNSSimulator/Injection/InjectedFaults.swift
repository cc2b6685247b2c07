package import APNS

/// Which of the pushes that passed every check go wrong: rules first, in their order, then chance. A value: the same seed
/// and the same pushes in the same order give the same faults; no clock, no socket.
package struct InjectedFaults: Sendable {
    /// A rule at work.
    package struct Entry: Sendable {
        /// From 1, never given again.
        package let id: Int
        package let rule: InjectionRule
        /// Pushes that it was asked about and that matched.
        package fileprivate(set) var matchCount = 0
        package fileprivate(set) var faultCount = 0
        /// Of its own, so that a rule more or less changes nothing for the others.
        fileprivate var dice: SeededDice
    }

    /// What all dice begin with.
    package let seed: UInt64
    /// Of the pushes that no rule claimed, so many go wrong in some way. 0 to 100.
    package var percent: Int
    package private(set) var entries: [Entry] = []
    /// More would make every push wait.
    package static let entryCountMax = 1_000
    private var chance: SeededDice
    private var lastID = 0

    package init(seed: UInt64, percent: Int = 0, rules: [InjectionRule] = []) {
        self.seed = seed
        self.percent = percent
        chance = SeededDice(seed: seed)
        for rule in rules { add(rule) }
    }

    /// - Returns: the entry's id; nil when there are too many.
    @discardableResult
    package mutating func add(_ rule: InjectionRule) -> Int? {
        guard entries.count < Self.entryCountMax else { return nil }
        lastID += 1
        // Far from the seed of chance, and from each other.
        let seed = seed ^ UInt64(lastID) &* 0x9E37_79B9_7F4A_7C15
        entries.append(Entry(id: lastID, rule: rule, dice: SeededDice(seed: seed)))
        return lastID
    }

    /// - Returns: whether there was one of this id.
    package mutating func remove(id: Int) -> Bool {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
        entries.remove(at: index)
        return true
    }

    /// Rules and chance.
    package mutating func removeAll() {
        entries = []
        percent = 0
    }

    /// Whether nothing can go wrong: then nobody need ask.
    package var isIdle: Bool { entries.isEmpty && percent == 0 }

    /// Decides about the next push.
    ///
    /// - Parameters:
    ///   - device: our own number of it.
    ///   - topic: the push's.
    /// - Returns: nil: it goes well. The first rule that claims it decides; those behind it are not asked.
    package mutating func next(device: Int, topic: Topic) -> InjectedFault? {
        // Drawn whether it is needed or not: what rules do must not shift what chance does.
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
    /// A fault, or in the other cases nil. Takes as many numbers for either.
    fileprivate mutating func injection(percent: Int) -> InjectedFault? {
        let isFault = isTrue(Double(percent) / 100)
        var own = SeededDice(seed: next())
        return isFault ? own.injectedFault() : nil
    }

    /// What happens to providers often comes often.
    private mutating func injectedFault() -> InjectedFault {
        switch Int.random(in: 0..<20, using: &self) {
        case 0..<4: .request(.rejected(pick(.internalServerError, .serviceUnavailable, .shutdown)))
        case 4..<7: .request(.rejected(.tooManyRequests))
        case 7: .request(.rejected(pick(.badDeviceToken, .unregistered, .expiredToken)))
        case 8..<11: .request(.slow(milliseconds(10...500)))
        // REFUSED_STREAM says that nothing was done, and nothing was.
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

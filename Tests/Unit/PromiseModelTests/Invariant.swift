import Envelope
import Keys
import Opening

/// The device's promises, under any clock, contacts and relay.
enum Invariant: String, CaseIterable {
    case shownOnce, openedWhenPossible, sealedWhileLocked, keptUntilUnlocked, noKeyEarly, noKeyLate, neverDeaf,
        roomToRotate
    case unconfirmedClockDeletesNothing
}

struct Violation: Equatable, CustomStringConvertible {
    let invariant: Invariant
    let what: String

    var description: String { "\(invariant.rawValue): \(what)" }
}

/// The reference: each promise in one function, by the true time. Nil where the promise holds.
enum Promises {
    private static let day: UInt64 = 86_400_000
    private static let skewMax: UInt64 = 300_000
    private static let claimMilliseconds: UInt64 = 35_000
    private static var lifetimeMax: UInt64 { UInt64(ModelPhone.lifetimeMax.components.seconds) * 1_000 }

    /// A message is opened a second time only if the process that had it was ended before it showed it, 35 seconds ago
    /// or before a restart.
    static func shownOnce(_ message: WorldMessage, _ world: World) -> Violation? {
        guard let last = message.openings.last else { return nil }
        let age = world.now - last.at
        let isFree = age > claimMilliseconds || last.boot != world.boot
        switch last.end {
        case .endedOpening: return nil
        case .killed where isFree, .endedShowing where isFree: return nil
        case .open, .shown, .killed, .endedShowing: break
        }
        return Violation(.shownOnce, "message \(message.number) opened again \(age) ms after it was \(last.end)")
    }

    /// A message opens only while the key of its class can be read.
    static func sealedWhileLocked(_ message: WorldMessage, _ world: World) -> Violation? {
        guard !world.lock.permits(message.protection) else { return nil }
        return Violation(.sealedWhileLocked, "message \(message.number) opened, \(world.lock)")
    }

    /// True if it was not shown and no claim on it can live: a claim lasts for whole seconds.
    private static func isFree(_ message: WorldMessage, _ world: World) -> Bool {
        guard let last = message.openings.last else { return true }
        guard last.end == .killed || last.end == .endedOpening else { return false }
        return world.now - last.at >= claimMilliseconds + 1_000 || last.boot != world.boot
    }

    /// An honest message that comes in its life, by a right or confirmed time, to a prekey that must exist, opens
    /// unless it was shown or is being shown.
    static func openedWhenPossible(_ message: WorldMessage, _ outcome: ModelPhone.Outcome, _ world: World) -> Violation?
    {
        guard outcome != .opened, message.isHonest, world.lock.permits(message.protection), world.isTimeRight,
            isAlive(message, world), mustExist(message.prekey, world), isFree(message, world)
        else { return nil }
        return Violation(.openedWhenPossible, "message \(message.number) was \(outcome)")
    }

    /// An honest message that came while the device was locked, or past its end by an unconfirmed clock only, is opened
    /// by the app's next run with confirmed time, if it still lives.
    static func keptUntilUnlocked(_ world: World) -> Violation? {
        let lost = world.messages.first {
            $0.isHonest && $0.isOwed && world.lock.permits($0.protection) && isFree($0, world) && isAlive($0, world)
                && mustExist($0.prekey, world)
        }
        return lost.map { Violation(.keptUntilUnlocked, "message \($0.number) is lost") }
    }

    /// No prekey is destroyed while an honest sender's message to it can still live: seven days after the newer bundle,
    /// or after it was superseded for seven, and the longest life.
    static func noKeyEarly(_ prekey: WorldPrekey, _ world: World) -> Violation? {
        let end = earliestEnd(prekey)
        guard !world.isRoomShort, world.now + world.confirmedAhead < end else { return nil }
        return Violation(.noKeyEarly, "prekey \(prekey.number) went \((end - world.now) / 3_600_000) hours early")
    }

    /// After a run of the app with confirmed time no prekey is left that is past its end, and none that was never
    /// offered.
    static func noKeyLate(_ world: World, secrets: Set<PrekeyID>) -> Violation? {
        let offered = world.prekeys.reduce(into: Set<PrekeyID>()) { $0.formUnion($1.ids) }
        guard secrets.isSubset(of: offered) else {
            return Violation(.noKeyLate, "a prekey is there that nothing names")
        }
        for prekey in world.prekeys where !secrets.isDisjoint(with: prekey.ids) {
            guard prekey.isThere else { return Violation(.noKeyLate, "prekey \(prekey.number) is there, destroyed") }
            guard let end = latestEnd(prekey), world.now > end + skewMax else { continue }
            return Violation(.noKeyLate, "prekey \(prekey.number) is there \((world.now - end) / day) days late")
        }
        return nil
    }

    /// Once the clock is right and the time confirmed, an honest sender accepts the published bundle, and its message
    /// opens.
    static func neverDeaf(_ failure: String?) -> Violation? { failure.map { Violation(.neverDeaf, $0) } }

    /// Once time was ever confirmed, no clock makes a bundle that senders refuse.
    static func soundStamp(_ prekey: WorldPrekey, _ world: World) -> Violation? {
        let isAhead = prekey.bundle.issuedAt.milliseconds > world.now + skewMax
        guard isAhead, world.confirmed != nil, world.confirmedAhead == 0 else { return nil }
        return Violation(.neverDeaf, "bundle \(prekey.number) is of the future")
    }

    /// At 64 prekeys the oldest superseded ones go, and no others.
    static func oldestMakesRoom(_ prekey: WorldPrekey) -> Violation {
        Violation(.noKeyEarly, "prekey \(prekey.number) made room, and is not the oldest")
    }

    /// Rotation never lacks room.
    static func roomToRotate() -> Violation { Violation(.roomToRotate, "the rotation threw") }

    /// A prekey goes only when the confirmed time, and the time since, is past its end.
    static func unconfirmedClockKeepsKeys(_ prekey: WorldPrekey, _ world: World) -> Violation? {
        guard !world.isRoomShort, world.certainTime < earliestEnd(prekey) else { return nil }
        return Violation(.unconfirmedClockDeletesNothing, "prekey \(prekey.number)")
    }

    /// An envelope leaves the spool only when it was opened or has certainly expired.
    static func unconfirmedClockKeepsSpool(_ world: World, spooledCount: Int) -> Violation? {
        let owed = world.messages.count {
            $0.isSpooled && $0.openings.isEmpty && world.certainTime < $0.expiresAt && mustExist($0.prekey, world)
        }
        guard spooledCount < min(owed, 64) else { return nil }
        return Violation(.unconfirmedClockDeletesNothing, "\(owed) envelopes are owed, \(spooledCount) are there")
    }

    /// A marker leaves only when its message has certainly expired by any policy.
    static func unconfirmedClockKeepsMarkers(_ world: World, markerCount: Int) -> Violation? {
        let owed = world.markedTimes.values.count { world.certainTime < $0 + 30 * day }
        guard markerCount < min(owed, 64) else { return nil }
        return Violation(.unconfirmedClockDeletesNothing, "\(owed) markers are owed, \(markerCount) are there")
    }

    private static func isAlive(_ message: WorldMessage, _ world: World) -> Bool {
        message.sentAt <= world.now && world.now + skewMax < message.expiresAt
    }

    private static func mustExist(_ number: Int, _ world: World) -> Bool {
        !world.prekeys[number].isEvicted && world.now < earliestEnd(world.prekeys[number])
    }

    /// Time from which no honest sender's message to it can live.
    static func earliestEnd(_ prekey: WorldPrekey) -> UInt64 {
        let longest = prekey.notAfter + lifetimeMax
        guard let superseded = prekey.superseded else { return longest }
        let known = min(superseded.at + 7 * day, prekey.acknowledgedAtFirst ?? .max)
        return min(longest, known + 7 * day + lifetimeMax + skewMax)
    }

    /// The same with the skew of clocks, and with the first confirmation in place of a wrong clock's time; nil before
    /// that confirmation.
    private static func latestEnd(_ prekey: WorldPrekey) -> UInt64? {
        let longest = prekey.made.corrected.map { $0 + 60 * day + lifetimeMax }
        let superseded = prekey.superseded?.corrected.map { $0 + 7 * day }
        let known = [superseded, prekey.acknowledged?.corrected].compactMap { $0 }.min()
        let short = known.map { $0 + 7 * day + lifetimeMax + skewMax }
        return [longest, short].compactMap { $0 }.min()
    }
}

extension Violation {
    init(_ invariant: Invariant, _ what: String) { self.init(invariant: invariant, what: what) }
}

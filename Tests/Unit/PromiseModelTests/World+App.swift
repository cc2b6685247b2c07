import Envelope
import Keys
import NotificationCore
import Opening

// The app.
extension World {
    mutating func run(_ launch: Step.Launch) throws -> Violation? {
        // An app has no useful work before the first unlock.
        guard lock != .beforeFirstUnlock else { return nil }
        let ended = endedCount
        for call in Step.AppCall.allCases {
            let step = launch.ending.flatMap { $0.call == call ? $0.step : nil }
            let violation =
                if let step { try perform(call, launch, endedAtStep: step) } else { try perform(call, launch) }
            if let violation { return violation }
            if launch.killedAfter == call || endedCount > ended { return nil }
        }
        guard launch.confirms else { return nil }
        if let violation = stage.watched(Promises.noKeyLate(self, secrets: try stage.phone.secrets())) {
            return violation
        }
        if let violation = stage.watched(Promises.keptUntilUnlocked(self)) { return violation }
        guard lock == .unlocked, stage.watches(.neverDeaf) else { return nil }
        return Promises.neverDeaf(try failureOfProbe())
    }

    mutating func perform(_ call: Step.AppCall, _ launch: Step.Launch) throws -> Violation? {
        switch call {
        case .open:
            if launch.isCold || !isAppRunning { try stage.phone.open(reading) }
            isAppRunning = true
            return try notePrekeys()
        case .confirmTime:
            guard launch.confirms else { return nil }
            noteConfirmation()
            try stage.phone.confirmTime(Timestamp(milliseconds: now), reading)
            return try notePrekeys()
        case .openSpooled: return try openSpooled(isKilled: launch.killedAfter == .openSpooled)
        case .rotate: return try rotate()
        case .upload:
            guard try stage.phone.needsPublication(reading) else { return nil }
            return try upload()
        case .acknowledge: return try acknowledge()
        case .collectResends:
            try stage.phone.collectResends(reading)
            return stage.watched(
                Promises.unconfirmedClockKeepsMarkers(self, markerCount: try stage.phone.markerCount())
            )
        case .destroy:
            try stage.phone.destroyDue(reading)
            return try notePrekeys()
        }
    }

    /// Only confirms: the rest of the loop would make and destroy prekeys.
    mutating func confirmWrongTime() throws -> Violation? {
        guard lock != .beforeFirstUnlock, isAppRunning else { return nil }
        confirmed = (now, boot)
        confirmedAhead = 3_600_000
        try stage.phone.confirmTime(Timestamp(milliseconds: now + confirmedAhead), reading)
        return try notePrekeys()
    }

    private mutating func noteConfirmation() {
        confirmed = (now, boot)
        confirmedAhead = 0
        for index in prekeys.indices {
            prekeys[index].made.confirm(at: now)
            prekeys[index].superseded?.confirm(at: now)
            prekeys[index].acknowledged?.confirm(at: now)
        }
    }

    private mutating func openSpooled(isKilled: Bool) throws -> Violation? {
        var shown: [[UInt8]] = []
        var killedWith: ModelFolder.Image?
        try stage.phone.openSpooled(reading) { id in
            shown.append(id)
            // The disk while the first message is being shown: as a kill would leave it.
            if isKilled, killedWith == nil { killedWith = try? stage.phone.folder.image() }
        }
        if let killedWith {
            try stage.phone.folder.putBack(killedWith)
            shown = [shown[0]]
        }
        for id in shown {
            if let violation = noteSpooled(id, killedWith == nil ? .shown : .killed) { return violation }
        }
        forgetExpired()
        return stage.watched(Promises.unconfirmedClockKeepsSpool(self, spooledCount: try stage.phone.spooledCount()))
    }

    /// Drops expectations of messages expired by confirmed time: they have left the spool, even if that time was wrong.
    mutating func forgetExpired() {
        for index in messages.indices where certainTime >= messages[index].expiresAt {
            (messages[index].isOwed, messages[index].isSpooled) = (false, false)
        }
    }

    mutating func noteSpooled(_ id: [UInt8], _ end: WorldMessage.End) -> Violation? {
        guard let message = messages.firstIndex(where: { $0.id == id }) else { return nil }
        if let violation = judge(message, .opened) { return violation }
        messages[message].openings.append(WorldMessage.Opening(at: now, boot: boot, end: end))
        return nil
    }

    mutating func rotate() throws -> Violation? {
        guard lock != .beforeFirstUnlock, isAppRunning else { return nil }
        let token = tokenCount == 0 ? nil : Self.token(tokenCount)
        isRoomShort = isRingFull
        defer { isRoomShort = false }
        do { try stage.phone.rotateIfDue(token: token, reading) } catch {
            // A prekey of the unlocked class cannot be written then.
            if lock == .locked, error == .locked { return try notePrekeys() }
            return stage.watched(Promises.roomToRotate())
        }
        rotatedToken = tokenCount
        return try notePrekeys()
    }

    /// True where the oldest prekeys make room for new ones: never for an unconfirmed clock.
    var isRingFull: Bool {
        let count = prekeys.filter(\.isThere).reduce(2) { $0 + $1.ids.count }
        return count > 64 && (isTimeConfirmed || rotatedToken != tokenCount)
    }

    private static func token(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    @discardableResult
    mutating func notePrekeys() throws -> Violation? {
        let found = try stage.phone.prekeys()
        for index in prekeys.indices where prekeys[index].isThere && !prekeys[index].ids.isSubset(of: found) {
            prekeys[index].isThere = false
            prekeys[index].isEvicted = isRoomShort || confirmedAhead > 0
            let hasOlder = prekeys[..<index].contains(where: \.isThere)
            if isRoomShort, hasOlder, let violation = stage.watched(Promises.oldestMakesRoom(prekeys[index])) {
                return violation
            }
            let violation =
                stage.watched(Promises.noKeyEarly(prekeys[index], self))
                ?? stage.watched(Promises.unconfirmedClockKeepsKeys(prekeys[index], self))
            if let violation { return violation }
        }
        let new = prekeys.reduce(found) { $0.subtracting($1.ids) }
        guard !new.isEmpty else { return nil }
        // Events without confirmed time count as of the next confirmation.
        let event = WorldPrekey.Event(at: now, isTimeKnown: isTimeConfirmed && confirmedAhead == 0)
        for index in prekeys.indices where prekeys[index].superseded == nil { prekeys[index].superseded = event }
        let made = WorldPrekey.Event(at: now, isTimeKnown: isClockRight && confirmedAhead == 0)
        let prekey = WorldPrekey(number: prekeys.count, ids: new, bundle: try stage.phone.bundle(), made: made)
        prekeys.append(prekey)
        return stage.watched(Promises.soundStamp(prekey, self))
    }

    mutating func upload() throws -> Violation? {
        guard let newest = prekeys.last else { return nil }
        uploaded.append(newest.number)
        return nil
    }

    /// - Returns: always nil.
    mutating func acknowledge() throws -> Violation? {
        guard let newest = uploaded.last, relay != .withholdsAcknowledgements else { return nil }
        let event = WorldPrekey.Event(at: now, isTimeKnown: isTimeConfirmed && confirmedAhead == 0)
        noteAcknowledgement()
        for index in prekeys.indices where index < newest && prekeys[index].acknowledged == nil {
            prekeys[index].acknowledged = event
        }
        try stage.phone.acknowledged(epoch: prekeys[newest].bundle.epoch, reading)
        return nil
    }

    /// Records that the device may have the acknowledgement.
    mutating func noteAcknowledgement() {
        guard let newest = uploaded.last, relay != .withholdsAcknowledgements else { return }
        for index in prekeys.indices where index < newest && prekeys[index].acknowledgedAtFirst == nil {
            prekeys[index].acknowledgedAtFirst = now
        }
    }

    /// An honest sender's obstacle now that everything is right; nil for none. Leaves no trace.
    private func failureOfProbe() throws -> String? {
        // All that an opening message changes before it is shown.
        let window = try stage.phone.folder.window()
        var world = self
        world.relay = .honest
        guard world.fetch() else { return "an honest sender refuses the newest bundle" }
        defer { try? stage.phone.folder.putBack(window: window) }
        for protection in [ProtectionClass.afterFirstUnlock, .unlocked] {
            guard try world.seal(protection, lifetime: 3_600_000), let message = world.messages.last else {
                return "nothing can be sealed"
            }
            let outcome = stage.phone.receive(message.push, reading).outcome
            guard outcome == .opened else { return "a message to the newest bundle was \(outcome)" }
        }
        return nil
    }
}

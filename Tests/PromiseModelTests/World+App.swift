import Envelope
import Keys
import NotificationCore

// The app.
extension World {
    mutating func run(_ launch: Step.Launch) throws -> Violation? {
        // Nothing of an app runs usefully before the first unlock.
        guard isUnlocked else { return nil }
        for call in Step.AppCall.allCases {
            if let violation = try perform(call, launch) { return violation }
            if launch.killedAfter == call { return nil }
        }
        guard launch.confirms else { return nil }
        if let violation = stage.watched(Promises.noKeyLate(self)) { return violation }
        guard isClockRight else { return nil }
        if let violation = stage.watched(Promises.keptUntilUnlocked(self)) { return violation }
        guard stage.watches(.neverDeaf) else { return nil }
        return Promises.neverDeaf(try failureOfProbe())
    }

    private mutating func perform(_ call: Step.AppCall, _ launch: Step.Launch) throws -> Violation? {
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

    private mutating func noteConfirmation() {
        confirmed = (now, boot)
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
            // The disk as it is while the first message is being shown: where a kill would leave it.
            if isKilled, killedWith == nil { killedWith = try? stage.phone.folder.image() }
        }
        if let killedWith {
            try stage.phone.folder.putBack(killedWith)
            shown = [shown[0]]
        }
        for id in shown {
            guard let message = messages.firstIndex(where: { $0.id == id }) else { continue }
            if let violation = stage.watched(Promises.shownOnce(messages[message], self)) { return violation }
            let end: WorldMessage.End = killedWith == nil ? .shown : .killed
            messages[message].openings.append(WorldMessage.Opening(at: now, boot: boot, end: end))
        }
        return stage.watched(Promises.unconfirmedClockKeepsSpool(self, spooledCount: try stage.phone.spooledCount()))
    }

    mutating func rotate() throws -> Violation? {
        guard isUnlocked, isAppRunning else { return nil }
        let token = tokenCount == 0 ? nil : Self.token(tokenCount)
        isRoomShort = prekeys.count(where: \.isThere) >= 64
        defer { isRoomShort = false }
        do { try stage.phone.rotateIfDue(token: token, reading) } catch {
            return stage.watched(Promises.roomToRotate())
        }
        return try notePrekeys()
    }

    private static func token(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// Compares the prekeys on disk with those that there were.
    @discardableResult
    mutating func notePrekeys() throws -> Violation? {
        let found = try stage.phone.prekeys()
        for index in prekeys.indices where prekeys[index].isThere && !found.contains(prekeys[index].id) {
            prekeys[index].isThere = false
            prekeys[index].isEvicted = isRoomShort
            let violation =
                stage.watched(Promises.noKeyEarly(prekeys[index], self))
                ?? stage.watched(Promises.unconfirmedClockKeepsKeys(prekeys[index], self))
            if let violation { return violation }
        }
        guard let new = found.subtracting(prekeys.map(\.id)).first else { return nil }
        // What happens without confirmed time counts as of the next confirmation.
        let event = WorldPrekey.Event(at: now, isTimeKnown: confirmed?.boot == boot)
        for index in prekeys.indices where prekeys[index].superseded == nil { prekeys[index].superseded = event }
        let made = WorldPrekey.Event(at: now, isTimeKnown: isClockRight)
        prekeys.append(WorldPrekey(number: prekeys.count, id: new, bundle: try stage.phone.bundle(), made: made))
        return nil
    }

    mutating func upload() throws -> Violation? {
        guard let newest = prekeys.last else { return nil }
        uploaded.append(newest.number)
        return nil
    }

    /// - Returns: always nil.
    mutating func acknowledge() throws -> Violation? {
        guard let newest = uploaded.last, relay != .withholdsAcknowledgements else { return nil }
        let event = WorldPrekey.Event(at: now, isTimeKnown: confirmed?.boot == boot)
        for index in prekeys.indices where index < newest && prekeys[index].acknowledged == nil {
            prekeys[index].acknowledged = event
        }
        try stage.phone.acknowledged(epoch: prekeys[newest].bundle.epoch, reading)
        return nil
    }

    /// What hinders an honest sender now that everything is right; nil for nothing. Leaves no trace.
    private func failureOfProbe() throws -> String? {
        // All that a message which opens changes before it is shown.
        let window = try stage.phone.folder.window()
        var world = self
        world.relay = .honest
        guard world.fetch() else { return "an honest sender refuses the newest bundle" }
        guard try world.seal(lifetime: 3_600_000), let message = world.messages.last else {
            return "nothing can be sealed"
        }
        let outcome = stage.phone.receive(message.push, reading).outcome
        try stage.phone.folder.putBack(window: window)
        return outcome == .opened ? nil : "a message to the newest bundle was \(outcome)"
    }
}

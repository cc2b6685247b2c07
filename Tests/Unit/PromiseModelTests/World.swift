import Envelope
import Foundation
import Keys
import Opening
import Sealing

/// The true world: the time, the device's clocks, its messages and prekeys, and the state of relay and sender. A value;
/// the device's own memory is on its disk.
struct World {
    /// Outlives its worlds, and keeps the first of them.
    unowned let stage: Stage

    /// Milliseconds since 1970, truly.
    private(set) var now = Stage.start
    /// The wall clock's lead.
    private var clockOffset: Int64 = 0
    private var frozenAt: UInt64?
    private var bootedAt = Stage.start
    private(set) var boot: UInt64 = 1
    private(set) var lock = DeviceLock.unlocked
    var isAppRunning = true
    /// True time of the last confirmation, and the start in which it came.
    var confirmed: (time: UInt64, boot: UInt64)?
    /// The lead of that time over the truth.
    var confirmedAhead: UInt64 = 0

    var messages: [WorldMessage] = []
    var prekeys: [WorldPrekey] = []
    /// Messages whose extension has not shown them yet.
    private(set) var open: [(message: Int, content: ModelPhone.Content)] = []
    /// Arrival times of messages whose prekey was gone.
    var markedTimes: [Int: UInt64] = [:]
    /// True once the ring was full: the oldest may go before its time.
    var isRoomShort = false
    var endedCount = 0
    var tokenCount: UInt64 = 0
    /// The last token that the app has rotated for.
    var rotatedToken: UInt64 = 0

    var relay = Step.Relay.honest
    var uploaded: [Int] = []
    /// The honest sender's.
    var pin: BundlePin?
    var copy: (prekey: Int, fetchedAt: UInt64)?

    init(stage: Stage) throws {
        self.stage = stage
        stage.phone.setLock(lock)
        try notePrekeys()
        _ = try upload()
        _ = try acknowledge()
    }

    var wall: UInt64 { frozenAt ?? now.addingSigned(clockOffset) }
    var reading: ModelPhone.Reading {
        ModelPhone.Reading(wall: Timestamp(milliseconds: wall), uptime: now - bootedAt, boot: boot)
    }
    var isClockRight: Bool { max(wall, now) - min(wall, now) <= 300_000 }
    /// True once the time was confirmed since the start.
    var isTimeConfirmed: Bool { confirmed?.boot == boot }
    /// True while its time is right. A wrong source's time counts until the next confirmation, also after a restart.
    var isTimeRight: Bool { confirmedAhead == 0 && (isTimeConfirmed || isClockRight) }
    /// The time that the device can be sure has passed.
    var certainTime: UInt64 {
        guard let confirmed else { return Stage.buildDate }
        return max(Stage.buildDate, (isTimeConfirmed ? now : confirmed.time) + confirmedAhead)
    }
}

extension UInt64 {
    func addingSigned(_ offset: Int64) -> UInt64 { offset < 0 ? self - offset.magnitude : self + offset.magnitude }
}

struct WorldMessage {
    enum End {
        case open, shown, killed
        /// The process was ended while it opened the message: the claim may be on disk or not.
        case endedOpening
        /// The process was ended after the message was shown: the claim is on disk, and may be done or not.
        case endedShowing
    }
    struct Opening {
        let at: UInt64
        let boot: UInt64
        var end = End.open
    }

    let number: Int
    let id: [UInt8]
    let isHonest: Bool
    let protection: ProtectionClass
    let prekey: Int
    let sentAt: UInt64
    let expiresAt: UInt64
    let push: [AnyHashable: Any]
    var openings: [Opening] = []
    /// True if it came and could not be judged.
    var isOwed = false
    /// True if it came while the device was locked.
    var isSpooled = false
}

/// Prekeys that were made together, one for each class, and the bundle that offers them.
struct WorldPrekey {
    /// An event that the device recorded with its clock's time.
    struct Event {
        let at: UInt64
        let isTimeKnown: Bool
        var confirmedAt: UInt64?

        /// Nil until a wrong time can have been put right.
        var corrected: UInt64? { isTimeKnown ? at : confirmedAt }

        mutating func confirm(at time: UInt64) { confirmedAt = confirmedAt ?? time }
    }

    let number: Int
    let ids: Set<PrekeyID>
    let bundle: ModelPhone.Bundle
    var made: Event
    var superseded: Event?
    /// The relay's confirmation of a newer bundle.
    var acknowledged: Event?
    /// The same where the process was ended before it returned from recording it: it may be on disk.
    var acknowledgedAtFirst: UInt64?
    var isThere = true
    /// True if it went for room, or by a wrong source of the time.
    var isEvicted = false

    var notAfter: UInt64 { bundle.notAfter.milliseconds }
}

// Time, and one step.
extension World {
    /// - Returns: the first watched promise that does not hold.
    mutating func perform(_ step: Step) throws -> Violation? {
        switch step {
        case .message(let arrival, let protection):
            guard try seal(protection, lifetime: 3_600_000) else { return nil }
            return try deliver(messages.count - 1, arrival)
        case .seal(let days, let protection):
            _ = try seal(protection, lifetime: days * 86_400_000)
            return nil
        case .hostileMessage(let time, let arrival):
            try sealHostile(time)
            return try deliver(messages.count - 1, arrival)
        case .deliver(let back, let arrival):
            guard back < messages.count else { return nil }
            return try deliver(messages.count - 1 - back, arrival)
        case .show:
            if let first = open.first { finish(first.message, first.content, .shown) }
            return nil
        case .killExtension:
            killExtension()
            return nil
        case .launch(let launch): return try run(launch)
        case .weeks(let count):
            for _ in 0..<count {
                pass(7 * 86_400_000)
                if let violation = try run(Step.Launch()) { return violation }
            }
            return nil
        case .newTokens(let count):
            for _ in 0..<count {
                tokenCount += 1
                if let violation = try rotate() { return violation }
            }
            return nil
        case .pass(let pause):
            pass(pause.milliseconds)
            return nil
        case .wrongTime: return try confirmWrongTime()
        case .lateTime(let pause):
            guard isAppRunning else { return nil }
            let time = Timestamp(milliseconds: now - pause.milliseconds)
            try stage.phone.confirmTime(time, askedBefore: pause.milliseconds, reading)
            return nil
        case .fetch:
            fetch()
            return nil
        case .relay(let relay):
            self.relay = relay
            return nil
        default:
            turn(step)
            return nil
        }
    }

    private mutating func turn(_ step: Step) {
        switch step {
        case .clock(.right):
            clockOffset = 0
            frozenAt = nil
        case .clock(.by(let pause)): jump(Int64(pause.milliseconds))
        case .clock(.back(let pause)): jump(-Int64(pause.milliseconds))
        case .freezeClock: frozenAt = wall
        case .reboot:
            killExtension()
            // The device may have written down its uptime.
            if isTimeConfirmed { confirmed?.time = now }
            boot += 1
            bootedAt = now
            isAppRunning = false
            turn(lock: .beforeFirstUnlock)
        case .lock where lock == .unlocked: turn(lock: .locked)
        case .unlock: turn(lock: .unlocked)
        default: break
        }
    }

    private mutating func turn(lock: DeviceLock) {
        self.lock = lock
        stage.phone.setLock(lock)
    }

    private mutating func jump(_ offset: Int64) {
        let wall = wall.addingSigned(offset)
        clockOffset = Int64(wall) - Int64(now)
        frozenAt = nil
    }

    private mutating func pass(_ milliseconds: UInt64) {
        now += milliseconds
        // iOS ends an extension after 30 seconds.
        if milliseconds > 30_000 { killExtension() }
    }

    private mutating func killExtension() {
        while let first = open.first { finish(first.message, first.content, .killed) }
    }
}

// The extension.
extension World {
    private mutating func deliver(_ message: Int, _ arrival: Step.Arrival) throws -> Violation? {
        if case .endedOpening(let step) = arrival { return try open(message, endedAtStep: step) }
        let content = stage.phone.receive(messages[message].push, reading)
        if let violation = try note(message, content) { return violation }
        switch arrival {
        case .shown: finish(message, content, .shown)
        case .killed: finish(message, content, .killed)
        case .endedShowing(let step): try show(message, content, endedAtStep: step)
        case .leftOpen, .endedOpening: break
        case .raced(let milliseconds):
            var earlier = reading
            earlier.wall = Timestamp(milliseconds: wall.addingSigned(milliseconds))
            let second = stage.phone.receive(messages[message].push, earlier)
            if let violation = try note(message, second) { return violation }
            finish(message, content, .shown)
            finish(message, second, .shown)
        }
        return nil
    }

    mutating func note(_ message: Int, _ content: ModelPhone.Content) throws -> Violation? {
        if let violation = judge(message, content.outcome) { return violation }
        switch content.outcome {
        case .opened:
            messages[message].openings.append(WorldMessage.Opening(at: now, boot: boot))
            open.append((message, content))
        case .locked: (messages[message].isSpooled, messages[message].isOwed) = (true, true)
        case .expired where certainTime < messages[message].expiresAt: messages[message].isOwed = true
        case .clockUntrusted: messages[message].isOwed = true
        case .missingKey: markedTimes[message] = markedTimes[message] ?? now
        default: break
        }
        return nil
    }

    /// Judges an outcome: an opened message must be allowed to open, and an unopened one must be excused.
    func judge(_ message: Int, _ outcome: ModelPhone.Outcome) -> Violation? {
        let message = messages[message]
        guard outcome == .opened else { return stage.watched(Promises.openedWhenPossible(message, outcome, self)) }
        return stage.watched(Promises.shownOnce(message, self))
            ?? stage.watched(Promises.sealedWhileLocked(message, self))
    }

    mutating func finish(_ message: Int, _ content: ModelPhone.Content, _ end: WorldMessage.End) {
        guard content.outcome == .opened else { return }
        if end == .shown { stage.phone.didShow(content) }
        open.removeAll { $0.message == message }
        for index in messages[message].openings.indices where messages[message].openings[index].end == .open {
            messages[message].openings[index].end = end
        }
    }
}

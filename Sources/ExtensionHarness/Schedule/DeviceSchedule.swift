public import UserNotifications

/// A random sequence of pushes and mishaps, repeatable by its seed: the device is locked in the middle, short of time,
/// full, or gets a push twice.
///
///     let schedule = DeviceSchedule(seed: seed, pushCount: pushes.count)
///     let report = await schedule.run(pushes) { NotificationService() }
///     #expect(report.findings.isEmpty, "\(schedule)")
///
/// The description contains the seed.
public struct DeviceSchedule: Sendable, Equatable {
    /// Seed that makes this schedule again.
    public let seed: UInt64

    /// Steps, in order.
    public let steps: [Step]

    /// Pushes that arrive at the same time, and the device's state then.
    public struct Step: Sendable, Equatable {
        /// Device's state.
        public let conditions: Device.Conditions
        /// Indices of the arriving pushes. An earlier push may come again.
        public let pushIndices: [Int]
    }

    /// Creates the schedule of a seed.
    ///
    /// - Parameters:
    ///   - seed: the same number makes the same schedule.
    ///   - pushCount: different pushes to deliver, at least 1.
    ///   - base: not left to chance: the app's folders and languages, the date, the limits.
    public init(seed: UInt64, pushCount: Int, on base: Device.Conditions = Device.Conditions()) {
        precondition(pushCount > 0)
        var dice = Dice(seed: seed)
        self.seed = seed
        let process = dice.pick(Device.ProcessUse.fresh, .reused)
        steps = (0...dice.number(below: 3)).map { _ in
            var conditions = base
            conditions.process = process
            conditions.throwDice(&dice)
            let count = dice.isOne(in: 3) ? 2 + dice.number(below: 3) : 1
            return Step(
                conditions: conditions,
                pushIndices: (0..<count).map { _ in dice.number(below: pushCount) }
            )
        }
    }

    /// Delivers the pushes to a new device.
    ///
    /// - Parameters:
    ///   - pushes: as many as scheduled.
    ///   - makeExtension: as for `Device`.
    public func run(
        _ pushes: [SimulatedPush],
        makeExtension: @escaping @Sendable () -> UNNotificationServiceExtension
    ) async -> ScheduleReport {
        let device = Device(makeExtension: makeExtension)
        var deliveries: [ScheduleReport.Delivery] = []
        for step in steps {
            device.conditions = step.conditions
            let indices = step.pushIndices.filter(pushes.indices.contains)
            let shown = await device.deliver(atOnce: indices.map { pushes[$0] })
            deliveries += zip(indices, shown).map {
                ScheduleReport.Delivery(step: step, pushIndex: $0, shown: $1)
            }
        }
        return ScheduleReport(deliveries: deliveries, lateHandlerCallCount: device.lateHandlerCallCount)
    }
}

extension DeviceSchedule: CustomStringConvertible {
    /// Seed and the steps.
    public var description: String {
        let lines = steps.map { step in
            let labels = step.labels.map(\.description).joined(separator: ", ")
            return "pushes \(step.pushIndices.map(String.init).joined(separator: " ")) with \(labels)"
        }
        return "schedule \(seed): " + lines.joined(separator: "; then ")
    }
}

extension Device.Conditions {
    /// Draws values, ordinary ones more often, so that most runs get somewhere.
    fileprivate mutating func throwDice(_ dice: inout Dice) {
        lock = dice.pick(.unlocked, .locked, .locked, .beforeFirstUnlock)
        storage = dice.pick(.writable, .writable, .writable, .full, .readOnly)
        entitlements = Device.Entitlements(rawValue: dice.number(below: 16))
        alerts = dice.pick(.on, .on, .on, .on, .on, .provisional, .off)
        isMuted = dice.isOne(in: 4)
        focus = dice.pick(.off, .off, .on(), .on(allowsApp: true), .on(allowsTimeSensitive: false))
        app = dice.pick(
            .inBackground,
            .inBackground,
            .inForeground(willPresent: [.banner, .list, .sound]),
            .inForeground(willPresent: [])
        )
        startsExtensions = !dice.isOne(in: 16)
        repetition = dice.pick(.once, .once, .once, .twice, .twiceAtOnce)
        expiry = dice.pick(
            .onTime,
            .onTime,
            .early(by: dice.milliseconds(1...29_000)),
            .late(by: dice.milliseconds(1...10_000)),
            .never,
            .twice
        )
        memoryLimit = dice.pick(.current, .medium, .small)
        attachmentServer = dice.pick(
            .prompt,
            .slow(dice.milliseconds(1...40_000)),
            .stalled,
            .truncated(byteCount: dice.number(below: 10_000)),
            .lying
        )
        invalidAttachment = dice.pick(.discardsAnswer, .discardsAttachment)
        if dice.isOne(in: 5) {
            changes.append(
                .init(after: dice.milliseconds(0...30_000), .dateJumps(by: dice.milliseconds(-30_000...30_000)))
            )
        }
        if dice.isOne(in: 5), lock != .beforeFirstUnlock {
            changes.append(.init(after: dice.milliseconds(0...30_000), .lock(lock == .locked ? .unlocked : .locked)))
        }
        if dice.isOne(in: 5) {
            changes.append(
                .init(after: dice.milliseconds(0...30_000), .storage(dice.pick(.writable, .full, .readOnly)))
            )
        }
    }
}

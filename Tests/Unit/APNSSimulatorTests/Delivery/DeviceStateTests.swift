import APNS
import DeviceLink
import Testing

@testable import APNSSimulator

struct DeviceStateTests {
    private var handheld = Handheld()
    private let one: DevicePush
    private let quiet: DevicePush
    private let background: DevicePush

    init() throws {
        one = try Handheld.push(1)
        quiet = try Handheld.push(2, priority: .powerAware)
        background = try Handheld.push(3, .background)
    }

    // MARK: App removed

    @Test mutating func `the first push to an app that is gone fails, and the token is gone since then`() {
        _ = handheld.connect()
        _ = handheld.change(to: .appRemoved)
        #expect(handheld.engine.takeGone().isEmpty)
        handheld.now += 5000
        #expect(handheld.accept(one) == [.happened(.discarded(one.id, .appRemoved, device: 1))])
        let gone = handheld.engine.takeGone()
        #expect(gone.map(\.installation) == [0] && gone.map(\.atMilliseconds) == [Handheld.start + 5000])
        _ = handheld.accept(quiet)
        #expect(handheld.engine.takeGone().isEmpty)
    }

    @Test mutating func `what waited for an app that is gone fails when the device comes`() {
        _ = handheld.accept(one)
        #expect(handheld.connect(.appRemoved).happened.last == .discarded(one.id, .appRemoved, device: 1))
        #expect(handheld.engine.takeGone().count == 1)
    }

    @Test func `late invalidation tells of the app by the seed, with the time of the failure`() throws {
        var delays: Set<Int64> = []
        for seed in 0..<32 as Range<UInt64> {
            var handheld = Handheld {
                $0.lateInvalidationSeconds = 600
                $0.seed = seed
            }
            _ = handheld.connect(.appRemoved)
            _ = handheld.accept(try Handheld.push(1))
            #expect(handheld.engine.takeGone().isEmpty)
            let due = try #require(handheld.engine.nextWakeUp)
            delays.insert(due - Handheld.start)
            #expect(due > Handheld.start && due <= Handheld.start + 600_000, "seed \(seed)")
            _ = handheld.advance(seconds: 600)
            #expect(handheld.engine.takeGone().map(\.atMilliseconds) == [Handheld.start], "seed \(seed)")
        }
        #expect(delays.count > 16)
    }

    @Test func `late invalidation comes also when the device has left`() throws {
        var handheld = Handheld { $0.lateInvalidationSeconds = 600 }
        _ = handheld.connect(.appRemoved)
        _ = handheld.accept(try Handheld.push(1))
        _ = handheld.disconnect()
        _ = handheld.advance(seconds: 600)
        #expect(handheld.engine.takeGone().count == 1)
        #expect(handheld.engine.laneCount == 0)
    }

    @Test func `an app that is back before that was never gone`() throws {
        var handheld = Handheld { $0.lateInvalidationSeconds = 600 }
        _ = handheld.connect(.appRemoved)
        _ = handheld.accept(try Handheld.push(1))
        _ = handheld.change(to: [])
        _ = handheld.advance(seconds: 600)
        #expect(handheld.engine.takeGone().isEmpty)
    }

    // MARK: Notifications off, Focus

    @Test mutating func `with notifications off alerts are discarded and background pushes come`() {
        _ = handheld.connect(.notificationsOff)
        #expect(handheld.accept(one) == [.happened(.discarded(one.id, .notificationsOff, device: 1))])
        #expect(handheld.accept(background).sent == [background.id])
    }

    @Test(arguments: [
        (#"{"aps":{"alert":"a"}}"#, DevicePush.Presentation.passiveForFocus),
        (#"{"aps":{"interruption-level":"active"}}"#, .passiveForFocus),
        (#"{"aps":{"interruption-level":"passive"}}"#, .passiveForFocus),
        (#"{"aps":{"interruption-level":"time-sensitive"}}"#, .asAsked),
        (#"{"aps":{"interruption-level":"critical"}}"#, .asAsked),
        (#"{"aps":{"interruption-level":7}}"#, .passiveForFocus),
        (#"{"aps":"time-sensitive"}"#, .passiveForFocus),
        ("time-sensitive", .passiveForFocus),
    ])
    func `a Focus makes an alert passive unless its payload says that it must not`(
        _ payload: String,
        _ expected: DevicePush.Presentation
    ) throws {
        var handheld = Handheld()
        _ = handheld.connect(.focus)
        var push = try Handheld.push(1, payload: payload)
        let effects = handheld.accept(push)
        push.presentation = expected
        #expect(effects == [.send(push, 7)])
    }

    @Test mutating func `a push that comes again after the Focus is not passive any more`() {
        _ = handheld.connect(.focus)
        _ = handheld.accept(one)
        _ = handheld.disconnect()
        #expect(handheld.connect() == [.happened(.connected(device: 1)), .send(one, 7)])
    }

    @Test func `of a burst of alerts only so many appear as they ask`() throws {
        var handheld = Handheld { $0.alertsPerBurst = 2 }
        _ = handheld.connect()
        func presentations(_ numbers: ClosedRange<UInt8>) throws -> [DevicePush.Presentation] {
            try numbers.map { number in
                let effects = handheld.accept(try Handheld.push(number))
                guard case .send(let push, _)? = effects.first else {
                    throw DeviceLinkError.trailingBytes(byteCount: 0)
                }
                return push.presentation
            }
        }
        #expect(try presentations(1...4) == [.asAsked, .asAsked, .passiveForBurst, .passiveForBurst])
        handheld.now += 9_999
        #expect(try presentations(5...5) == [.passiveForBurst])
        handheld.now += 1
        #expect(try presentations(6...6) == [.asAsked])
    }

    // MARK: Low power

    @Test mutating func `in low power an urgent push comes at once and the others in a group`() throws {
        _ = handheld.connect(.lowPower)
        #expect(handheld.accept(one).sent == [one.id])
        #expect(handheld.accept(quiet) == [.happened(.stored(quiet.id, device: 1))])
        let last = try Handheld.push(4, priority: .low)
        _ = handheld.advance(seconds: 30)
        _ = handheld.accept(last)
        #expect(handheld.advance(seconds: 29).isEmpty)
        #expect(handheld.advance(seconds: 1).sent == [quiet.id, last.id])
        #expect(handheld.outcomes(of: quiet) == [.stored(.power)])
    }

    @Test mutating func `a device that leaves low power gets its group at once`() {
        _ = handheld.connect(.lowPower)
        _ = handheld.accept(quiet)
        #expect(handheld.change(to: []).sent == [quiet.id])
        #expect(handheld.advance(seconds: 3600).isEmpty)
    }

    @Test mutating func `a device that leaves with a group keeps the newest of it only`() throws {
        _ = handheld.connect(.lowPower)
        let last = try Handheld.push(4, priority: .low)
        _ = handheld.accept(quiet)
        _ = handheld.accept(last)
        #expect(
            handheld.disconnect().happened == [
                .disconnected(device: 1), .replaced(quiet.id, by: last.id, device: 1),
            ]
        )
        #expect(handheld.connect().sent == [last.id])
    }

    @Test mutating func `a push of a group whose time is over is discarded then`() throws {
        _ = handheld.connect(.lowPower)
        let short = try Handheld.push(4, priority: .low, expiration: UInt64(Handheld.start / 1000) + 10)
        _ = handheld.accept(short)
        _ = handheld.accept(quiet)
        #expect(handheld.advance(seconds: 10) == [.happened(.discarded(short.id, .expired, device: 1))])
        #expect(handheld.advance(seconds: 50).sent == [quiet.id])
    }

    @Test mutating func `a push that may not wait joins no group`() throws {
        _ = handheld.connect(.lowPower)
        let push = try Handheld.push(4, priority: .low, expiration: 0)
        #expect(handheld.accept(push) == [.happened(.discarded(push.id, .mayNotWait, device: 1))])
    }

    @Test func `a full group is sent at once`() throws {
        var handheld = Handheld { $0.groupCountMax = 2 }
        _ = handheld.connect(.lowPower)
        #expect(handheld.accept(try Handheld.push(1, priority: .low)).sent.isEmpty)
        #expect(handheld.accept(try Handheld.push(2, priority: .low)).sent.count == 2)
    }

    @Test(arguments: [
        (DeliverySettings.Grouping.never, DeviceState.lowPower, true), (.always, DeviceState(), false),
        (.lowPower, DeviceState(), true),
    ])
    func `when pushes are grouped is a setting`(
        _ grouping: DeliverySettings.Grouping,
        _ state: DeviceState,
        _ comesAtOnce: Bool
    ) throws {
        var handheld = Handheld { $0.grouping = grouping }
        _ = handheld.connect(state)
        #expect(handheld.accept(try Handheld.push(1, priority: .low)).sent.isEmpty != comesAtOnce)
    }

    @Test func `a group comes in an order that the seed decides, if that is set`() throws {
        var orders: Set<[APNSID]> = []
        for seed in 0..<32 as Range<UInt64> {
            var handheld = Handheld {
                $0.reorderMilliseconds = 1
                $0.seed = seed
            }
            _ = handheld.connect(.lowPower)
            for number in 1...3 as ClosedRange<UInt8> {
                _ = handheld.accept(try Handheld.push(number, priority: .low))
            }
            orders.insert(handheld.advance(seconds: 60).sent)
        }
        #expect(orders.count == 6)
    }

    // MARK: Background

    @Test mutating func `in low power a background push is dropped`() {
        _ = handheld.connect(.lowPower)
        #expect(handheld.accept(background) == [.happened(.discarded(background.id, .lowPower, device: 1))])
    }

    @Test mutating func `while the app deals with a background push the next is dropped`() {
        _ = handheld.connect(.appRunning)
        #expect(handheld.accept(background) == [.happened(.discarded(background.id, .appRunning, device: 1))])
        #expect(handheld.accept(one).sent == [one.id])
        _ = handheld.change(to: [])
        #expect(handheld.accept(background).sent == [background.id])
    }

    @Test mutating func `above three background pushes in an hour the newest one waits`() throws {
        _ = handheld.connect()
        let pushes = try (1...5 as ClosedRange<UInt8>).map { try Handheld.push($0, .background) }
        for push in pushes[..<3] {
            #expect(handheld.accept(push).sent == [push.id])
            handheld.now += 60_000
        }
        #expect(handheld.accept(pushes[3]) == [.happened(.stored(pushes[3].id, device: 1))])
        #expect(
            handheld.accept(pushes[4]).happened == [
                .replaced(pushes[3].id, by: pushes[4].id, device: 1), .stored(pushes[4].id, device: 1),
            ]
        )
        #expect(handheld.outcomes(of: pushes[4]) == [.stored(.backgroundBudget)])
        // An hour after the first.
        #expect(handheld.advance(seconds: 57 * 60 - 1).isEmpty)
        #expect(handheld.advance(seconds: 1).sent == [pushes[4].id])
    }

    @Test mutating func `a push that waits for the budget wakes the engine once, when there is room`() throws {
        _ = handheld.connect()
        for number in 1...3 as ClosedRange<UInt8> {
            _ = handheld.accept(try Handheld.push(number, .background))
            handheld.now += 60_000
        }
        let last = try Handheld.push(4, .background)
        _ = handheld.accept(last)
        #expect(handheld.engine.nextWakeUp == Handheld.start + 3_600_000)
        #expect(handheld.advance(seconds: 3600).sent == [last.id])
        #expect(handheld.wakeUpCount == 1)
    }

    @Test mutating func `a larger budget lets go what waited for the smaller one`() throws {
        _ = handheld.connect()
        let pushes = try (1...4 as ClosedRange<UInt8>).map { try Handheld.push($0, .background) }
        for push in pushes { _ = handheld.accept(push) }
        var settings = DeliverySettings()
        settings.backgroundsPerHour = 4
        #expect(handheld.engine.adopt(settings, at: handheld.now).sent == [pushes[3].id])
    }

    @Test func `the budget is a setting, and 0 is none`() throws {
        var handheld = Handheld { $0.backgroundsPerHour = 0 }
        _ = handheld.connect()
        for number in 0..<50 as Range<UInt8> {
            #expect(handheld.accept(try Handheld.push(number, .background)).sent.count == 1)
        }
    }

    @Test func `a background push that waits for the budget is dropped when its time is over`() throws {
        var handheld = Handheld { $0.backgroundsPerHour = 1 }
        _ = handheld.connect()
        _ = handheld.accept(try Handheld.push(1, .background))
        let late = try Handheld.push(2, .background, expiration: UInt64(Handheld.start / 1000) + 10)
        _ = handheld.accept(late)
        #expect(handheld.advance(seconds: 10) == [.happened(.discarded(late.id, .expired, device: 1))])
    }

    @Test func `the budget is remembered while the device is away, and forgotten after an hour`() throws {
        var handheld = Handheld { $0.backgroundsPerHour = 1 }
        _ = handheld.connect()
        let first = try Handheld.push(1, .background)
        _ = handheld.accept(first)
        _ = handheld.acknowledge(first)
        _ = handheld.disconnect()
        #expect(handheld.engine.laneCount == 1)
        _ = handheld.connect()
        #expect(handheld.accept(try Handheld.push(2, .background)).sent.isEmpty)
        _ = handheld.disconnect()
        _ = handheld.engine.drop(handheld.address, at: handheld.now)
        _ = handheld.advance(seconds: 3600)
        #expect(handheld.engine.laneCount == 0)
    }
}

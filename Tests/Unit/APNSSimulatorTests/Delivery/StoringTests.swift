import APNS
import DeviceLink
import Testing

@testable import APNSSimulator

struct StoringTests {
    private static let startSeconds = UInt64(Handheld.start / 1000)
    private var handheld = Handheld()
    private let one: DevicePush
    private let two: DevicePush

    init() throws {
        one = try Handheld.push(1)
        two = try Handheld.push(2)
    }

    @Test mutating func `a device that is there gets the push at once, and its acknowledgement is the delivery`() {
        #expect(handheld.connect() == [.happened(.connected(device: 1))])
        #expect(handheld.accept(one) == [.send(one, 7)])
        #expect(handheld.acknowledge(one) == [.happened(.delivered(one.id, device: 1))])
        #expect(handheld.acknowledge(one) == [])
        #expect(handheld.outcomes(of: one) == [.delivered])
    }

    @Test mutating func `for a device that is away only the newest push waits`() {
        #expect(handheld.accept(one) == [.happened(.stored(one.id, device: 1))])
        #expect(
            handheld.accept(two) == [
                .happened(.replaced(one.id, by: two.id, device: 1)), .happened(.stored(two.id, device: 1)),
            ]
        )
        #expect(handheld.connect() == [.happened(.connected(device: 1)), .send(two, 7)])
        #expect(handheld.outcomes(of: one) == [.stored(.offline), .replaced(by: Handheld.uniqueID(of: two))])
        #expect(handheld.outcomes(of: two) == [.stored(.offline)])
    }

    @Test mutating func `storage replaces also where the collapse ids differ`() throws {
        var (first, second) = (one, two)
        first.collapseID = try CollapseID("score")
        second.collapseID = try CollapseID("weather")
        _ = handheld.accept(first)
        _ = handheld.accept(second)
        #expect(handheld.connect().sent == [second.id])
    }

    @Test(arguments: [UInt64(0), Self.startSeconds - 1, Self.startSeconds])
    func `a push that may not wait is given up at once when the device is away`(_ expiration: UInt64) throws {
        var handheld = Handheld()
        let push = try Handheld.push(3, expiration: expiration)
        #expect(handheld.accept(push) == [.happened(.discarded(push.id, .mayNotWait, device: 1))])
        #expect(handheld.engine.nextWakeUp == nil)
    }

    @Test mutating func `a push with expiration 0 reaches a device that is there`() throws {
        _ = handheld.connect()
        let push = try Handheld.push(3, expiration: 0)
        #expect(handheld.accept(push).sent == [push.id])
    }

    @Test mutating func `a push with expiration 0 does not replace the one that waits`() throws {
        _ = handheld.accept(one)
        _ = handheld.accept(try Handheld.push(3, expiration: 0))
        #expect(handheld.connect().sent == [one.id])
    }

    @Test mutating func `a push that waits until its expiration is discarded then, and not before`() throws {
        let push = try Handheld.push(3, expiration: Self.startSeconds + 10)
        _ = handheld.accept(push)
        #expect(handheld.engine.nextWakeUp == Handheld.start + 10_000)
        #expect(handheld.advance(seconds: 9) == [])
        #expect(handheld.advance(seconds: 1) == [.happened(.discarded(push.id, .expired, device: 1))])
        #expect(handheld.engine.nextWakeUp == nil)
    }

    @Test mutating func `a device that comes a millisecond before the expiration gets the push`() throws {
        let push = try Handheld.push(3, expiration: Self.startSeconds + 10)
        _ = handheld.accept(push)
        handheld.now += 9_999
        #expect(handheld.connect().sent == [push.id])
    }

    @Test mutating func `a device that comes at the expiration, before anybody woke the engine, gets nothing`() throws {
        let push = try Handheld.push(3, expiration: Self.startSeconds + 10)
        _ = handheld.accept(push)
        handheld.now += 10_000
        #expect(handheld.connect().happened.last == .discarded(push.id, .expired, device: 1))
    }

    @Test mutating func `a push without an expiration waits thirty days`() {
        _ = handheld.accept(one)
        #expect(handheld.advance(seconds: 30 * 86_400 - 1) == [])
        #expect(handheld.advance(seconds: 1) == [.happened(.discarded(one.id, .expired, device: 1))])
    }

    @Test func `how long a push without an expiration waits is a setting`() throws {
        var handheld = Handheld { $0.storageDays = 1 }
        _ = handheld.accept(try Handheld.push(1))
        #expect(handheld.advance(seconds: 86_400).happened.count == 1)
    }

    @Test mutating func `the furthest expiration is never reached`() throws {
        let push = try Handheld.push(3, expiration: .max)
        _ = handheld.accept(push)
        #expect(handheld.advance(seconds: 1 << 40) == [])
        #expect(handheld.connect().sent == [push.id])
    }

    @Test mutating func `what was on its way when the connection broke waits, the newest of it`() {
        _ = handheld.connect()
        _ = handheld.accept(one)
        _ = handheld.accept(two)
        #expect(
            handheld.disconnect() == [
                .happened(.disconnected(device: 1)), .happened(.stored(one.id, device: 1)),
                .happened(.replaced(one.id, by: two.id, device: 1)), .happened(.stored(two.id, device: 1)),
            ]
        )
        #expect(handheld.connect().sent == [two.id])
    }

    @Test mutating func `a push that came when the connection was full is newer than all that was on its way`() throws {
        _ = handheld.connect()
        for number in 0..<UInt8(DeliveryPath.unacknowledgedCountMax) { _ = handheld.accept(try Handheld.push(number)) }
        let extra = try Handheld.push(200)
        #expect(handheld.accept(extra) == [.happened(.stored(extra.id, device: 1))])
        _ = handheld.disconnect()
        #expect(handheld.connect().sent == [extra.id])
    }

    @Test mutating func `a device that does not acknowledge is treated as away, and catches up`() throws {
        _ = handheld.connect()
        for number in 0..<UInt8(DeliveryPath.unacknowledgedCountMax) { _ = handheld.accept(try Handheld.push(number)) }
        let extra = try Handheld.push(200)
        _ = handheld.accept(extra)
        #expect(handheld.outcomes(of: extra) == [.stored(.unacknowledged)])
        #expect(handheld.acknowledge(try Handheld.push(0)).sent == [extra.id])
    }

    @Test func `within the window of reordering the seed decides which of two pushes is kept`() throws {
        var kept: Set<APNSID> = []
        for seed in 0..<64 as Range<UInt64> {
            var handheld = Handheld {
                $0.reorderMilliseconds = 1000
                $0.seed = seed
            }
            var again = handheld
            let pushes = [try Handheld.push(1), try Handheld.push(2)]
            for push in pushes { #expect(handheld.accept(push) == again.accept(push)) }
            kept.formUnion(handheld.connect().sent)
        }
        #expect(kept.count == 2)
    }

    @Test func `after the window of reordering the newer push is kept`() throws {
        for seed in 0..<64 as Range<UInt64> {
            var handheld = Handheld {
                $0.reorderMilliseconds = 1000
                $0.seed = seed
            }
            _ = handheld.accept(try Handheld.push(1))
            handheld.now += 1001
            _ = handheld.accept(try Handheld.push(2))
            #expect(handheld.connect().sent == [try Handheld.push(2).id], "seed \(seed)")
        }
    }

    @Test mutating func `a token that is unregistered gives up what waits`() {
        _ = handheld.accept(one)
        #expect(
            handheld.engine.drop(handheld.address, at: handheld.now) == [
                .happened(.discarded(one.id, .tokenInactive, device: 1))
            ]
        )
        #expect(handheld.engine.laneCount == 0)
    }

    @Test mutating func `a device that is away and for whom nothing waits takes no room`() {
        _ = handheld.connect()
        _ = handheld.accept(one)
        _ = handheld.acknowledge(one)
        _ = handheld.disconnect()
        #expect(handheld.engine.laneCount == 0)
    }
}

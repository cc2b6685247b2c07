import APNS
import DeviceLink
import TestSupport
import Testing

@testable import APNSSimulator

struct EngineBookkeepingTests {
    @Test func `alarms come in the order of time, whoever set them`() {
        var random = SeededRandom(seed: 1)
        var wakeUps = WakeUps()
        var times: [Int64] = []
        for _ in 0..<1000 {
            times.append(Int64.random(in: 0...500, using: &random))
            wakeUps.insert(UInt32(times.count - 1), at: times[times.count - 1])
        }
        var popped: [Int64] = []
        while let installation = wakeUps.pop(at: 250) { popped.append(times[Int(installation)]) }
        #expect(popped == times.filter { $0 <= 250 }.sorted())
        #expect(wakeUps.next == times.filter { $0 > 250 }.min())
    }

    @Test func `alarms that were overtaken do not pile up`() throws {
        var engine = DeliveryEngine()
        let address = DeliveryEngine.Address(installation: 0, device: 1)
        for step in 0..<10_000 {
            // Each waits for less time than the one before, and so sets an earlier alarm.
            let push = try Handheld.push(1, expiration: UInt64(20_000 - step))
            _ = engine.accept(push, uniqueID: APNSID(), for: address, at: 0)
        }
        #expect(engine.alarmCount <= 70)
        #expect(engine.nextWakeUp == 10_001_000)
    }

    @Test func `a token that gets too many pushes in a row must wait, and another need not`() throws {
        var settings = DeliverySettings()
        (settings.tokenRequestsPerMinute, settings.tokenBurst) = (60, 3)
        var engine = DeliveryEngine(settings)
        let (one, other) = (
            DeliveryEngine.Address(installation: 0, device: 1), DeliveryEngine.Address(installation: 1, device: 2)
        )
        for number in 1...3 as ClosedRange<UInt8> {
            #expect(!engine.isTooFrequent(one, at: 0))
            _ = engine.accept(try Handheld.push(number), uniqueID: APNSID(), for: one, at: 0)
        }
        #expect(engine.isTooFrequent(one, at: 999))
        #expect(!engine.isTooFrequent(other, at: 999))
        #expect(!engine.isTooFrequent(one, at: 1000))
    }

    @Test func `without the setting no token gets too many`() throws {
        var engine = DeliveryEngine()
        let address = DeliveryEngine.Address(installation: 0, device: 1)
        for _ in 0..<1000 { _ = engine.accept(try Handheld.push(1), uniqueID: APNSID(), for: address, at: 0) }
        #expect(!engine.isTooFrequent(address, at: 0))
    }

    @Test func `rates that do not count any more are forgotten`() {
        var rate = RequestRate(perMinute: 60, burst: 1)
        for number in 0..<10_000 as Range<UInt32> { rate.note(number, at: Int64(number)) }
        #expect(rate.count <= 3000)
    }

    @Test func `the log tells when what became of a push`() throws {
        var handheld = Handheld()
        let push = try Handheld.push(1, priority: .powerAware)
        _ = handheld.accept(push)
        handheld.now += 1500
        _ = handheld.connect()
        handheld.now += 500
        _ = handheld.acknowledge(push)
        let entry = try #require(handheld.engine.log.entry(Handheld.uniqueID(of: push), atMilliseconds: handheld.now))
        #expect(entry.id == push.id && entry.device == 1 && entry.pushType == .alert && entry.priority == .powerAware)
        #expect(entry.acceptedAtMilliseconds == Handheld.start)
        #expect(entry.steps.map(\.outcome) == [.stored(.offline), .delivered])
        #expect(entry.steps.map(\.atMilliseconds) == [Handheld.start, Handheld.start + 2000])
    }

    @Test func `the log keeps the newest so many pushes`() throws {
        var handheld = Handheld { $0.logEntryCountMax = 3 }
        let pushes = try (1...5 as ClosedRange<UInt8>).map { try Handheld.push($0) }
        for push in pushes { _ = handheld.accept(push) }
        let log = handheld.engine.log
        #expect(log.newest(10, atMilliseconds: handheld.now).map(\.id) == pushes[2...].reversed().map(\.id))
        #expect(log.newest(1, atMilliseconds: handheld.now).map(\.id) == [pushes[4].id])
        #expect(handheld.outcomes(of: pushes[1]).isEmpty)
        #expect(handheld.outcomes(of: pushes[4]) == [.stored(.offline)])
    }

    @Test func `a log that grows or shrinks keeps the newest pushes, and notes what becomes of them`() throws {
        var handheld = Handheld { $0.logEntryCountMax = 3 }
        let pushes = try (1...9 as ClosedRange<UInt8>).map { try Handheld.push($0) }
        var settings = DeliverySettings()
        var (expected, acceptedCount) = ([DevicePush](), 0)
        // Each size with so many pushes more: before the ring is full, when it is, and after a full turn.
        for (countMax, newCount) in [(3, 4), (2, 0), (5, 2), (1, 1), (0, 1), (4, 1)] {
            settings.logEntryCountMax = countMax
            _ = handheld.engine.adopt(settings, at: handheld.now)
            expected = expected.suffix(countMax)
            for push in pushes.dropFirst(acceptedCount).prefix(newCount) {
                _ = handheld.accept(push)
                expected = (expected + [push]).suffix(countMax)
            }
            acceptedCount += newCount
            let newest = handheld.engine.log.newest(10, atMilliseconds: handheld.now)
            #expect(newest.map(\.id) == expected.reversed().map(\.id), "\(countMax) entries")
        }
        _ = handheld.connect()
        _ = handheld.acknowledge(pushes[8])
        #expect(handheld.outcomes(of: pushes[8]) == [.stored(.offline), .delivered])
    }

    @Test func `the log forgets after seven days`() throws {
        var handheld = Handheld()
        let push = try Handheld.push(1)
        _ = handheld.accept(push)
        let day: Int64 = 86_400_000
        let id = Handheld.uniqueID(of: push)
        #expect(handheld.engine.log.entry(id, atMilliseconds: handheld.now + 7 * day) != nil)
        #expect(handheld.engine.log.entry(id, atMilliseconds: handheld.now + 7 * day + 1) == nil)
    }

    @Test func `a log of no entries keeps none, and pushes arrive`() throws {
        var handheld = Handheld { $0.logEntryCountMax = 0 }
        _ = handheld.connect()
        let push = try Handheld.push(1)
        #expect(handheld.accept(push).sent == [push.id])
        #expect(handheld.engine.log.newest(10, atMilliseconds: handheld.now).isEmpty)
    }

    @Test func `a push that comes and goes for ever has a bounded entry that ends with its last step`() throws {
        var handheld = Handheld()
        let push = try Handheld.push(1)
        _ = handheld.accept(push)
        for _ in 0..<100 {
            _ = handheld.connect()
            _ = handheld.disconnect()
        }
        _ = handheld.connect()
        _ = handheld.acknowledge(push)
        #expect(handheld.outcomes(of: push).count == DeliveryLog.stepCountMax)
        #expect(handheld.outcomes(of: push).last == .delivered)
    }

    @Test func `a pushed token's number of entries in a log does not change what devices get`() throws {
        for entryCountMax in [0, 1, 2, 100] {
            var handheld = Handheld { $0.logEntryCountMax = entryCountMax }
            for number in 1...10 as ClosedRange<UInt8> { _ = handheld.accept(try Handheld.push(number)) }
            #expect(handheld.connect().sent == [try Handheld.push(10).id], "\(entryCountMax) entries")
        }
    }
}

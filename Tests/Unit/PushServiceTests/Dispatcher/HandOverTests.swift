import APNS
import Envelope
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PushService

/// Rules of what may go out as soon as it is stored. Values alone.
struct HandOverTests {
    private static let start = Timestamp(milliseconds: 1_793_491_200_000)

    private static func key(_ number: UInt64) -> DeviceBucket.Key { DeviceBucket.Key(shardHash: number) }

    // MARK: Order

    private static func known() -> QueuedDevices {
        var devices = QueuedDevices(unknownUntil: start)
        devices.didLook(oldestDue: nil)
        return devices
    }

    private static func add(
        _ number: UInt64,
        for device: UInt64,
        deadline: Timestamp = start.advanced(by: .seconds(3_600)),
        now: Timestamp = start,
        to devices: inout QueuedDevices
    ) {
        devices.willQueue(StorePattern.apnsID(number), for: key(device), deadline: deadline, now: now)
    }

    private static func mayPass(_ device: UInt64, _ devices: QueuedDevices, now: Timestamp = start) -> Bool {
        devices.mayPass(key(device), now: now)
    }

    @Test func `nothing overtakes what is queued for its device, until the last of that is on its way`() {
        var devices = Self.known()
        #expect(Self.mayPass(1, devices))
        for number: UInt64 in 1...3 { Self.add(number, for: 1, to: &devices) }
        #expect(!Self.mayPass(1, devices) && Self.mayPass(2, devices))
        // The order is open: one may be put off behind the others.
        for number: UInt64 in [1, 3] {
            devices.didLeave(StorePattern.apnsID(number))
            #expect(!Self.mayPass(1, devices))
        }
        devices.didLeave(StorePattern.apnsID(2))
        #expect(Self.mayPass(1, devices) && devices.count == 0)
    }

    @Test func `one that leaves twice, or was never noted, takes nobody's place`() {
        var devices = Self.known()
        for number: UInt64 in 1...2 { Self.add(number, for: 1, to: &devices) }
        for number: UInt64 in [1, 1, 9] { devices.didLeave(StorePattern.apnsID(number)) }
        #expect(!Self.mayPass(1, devices))
        Self.add(2, for: 1, to: &devices)
        devices.didLeave(StorePattern.apnsID(2))
        #expect(Self.mayPass(1, devices), "one that is noted twice waits once")
    }

    @Test func `one that leaves the queue without a word counts until nothing could be sent of it`() {
        var devices = Self.known()
        Self.add(1, for: 1, deadline: Self.start.advanced(by: .seconds(30)), to: &devices)
        Self.add(2, for: 2, deadline: Self.start.advanced(by: .seconds(900)), to: &devices)
        // A mark that began before its deadline may end after it.
        for (milliseconds, mayPass): (Int64, Bool) in [(30_000, false), (34_999, false), (35_000, true)] {
            let now = Self.start.advanced(by: .milliseconds(milliseconds))
            #expect(Self.mayPass(1, devices, now: now) == mayPass)
            devices.forgetLate(now: now)
            #expect(devices.count == (mayPass ? 1 : 2))
        }
        #expect(!Self.mayPass(2, devices, now: Self.start.advanced(by: .seconds(35))))
    }

    @Test func `a crowd that expires in the queue is forgotten before it makes others wait`() {
        var devices = Self.known()
        let half = UInt64(QueuedDevices.countMax / 2 + 1)
        for number in 0..<half {
            Self.add(number, for: number, deadline: Self.start.advanced(by: .seconds(60)), to: &devices)
        }
        let later = Self.start.advanced(by: .seconds(70))
        devices.forgetLate(now: later)
        for number in half..<2 * half { Self.add(number, for: number, now: later, to: &devices) }
        #expect(Self.mayPass(9_999_999, devices, now: later) && devices.count == Int(half))
    }

    @Test func `after a start nothing passes before a look has found nothing that was queued before it`() {
        var devices = QueuedDevices(unknownUntil: Self.start)
        #expect(!Self.mayPass(1, devices) && devices.wantsLook(now: Self.start))
        devices.didLook(oldestDue: Self.start)
        #expect(!Self.mayPass(1, devices))
        devices.didLook(oldestDue: Self.start.advanced(by: .milliseconds(1)))
        #expect(Self.mayPass(1, devices) && !devices.wantsLook(now: Self.start))
    }

    @Test func `with too many devices to remember all go through the queue until it has no old ones`() {
        var devices = Self.known()
        let later = Self.start.advanced(by: .seconds(60))
        for number in 0...UInt64(QueuedDevices.countMax) { Self.add(number, for: number, now: later, to: &devices) }
        #expect(!Self.mayPass(9_999_999, devices, now: later))
        // An entry being stored then cannot be found yet.
        #expect(!devices.wantsLook(now: later) && devices.wantsLook(now: later.advanced(by: .seconds(5))))
        devices.didLook(oldestDue: nil)
        #expect(Self.mayPass(9_999_999, devices, now: later))
        #expect(!Self.mayPass(UInt64(QueuedDevices.countMax), devices, now: later), "the last one is remembered")
    }

    // MARK: Room

    @Test func `what waits has its room first, and an urgent one goes before it only as often as in its turns`() {
        var scheduler = LaneScheduler(inFlightMax: 64)
        let waiting = LaneScheduler.Counts(normal: 56)
        // The first holds 64 reservations.
        let granted = [8, 1].map { scheduler.reserve($0, in: $0 == 8 ? .urgent : .normal, beside: waiting) }
        #expect(granted == [true, false])
        let turns = (0..<40).map { _ in scheduler.reserve(1, in: .urgent, beside: waiting) }
        #expect(turns.count(where: { $0 }) == LaneScheduler.shares.urgent)
        #expect(scheduler.inFlight == .init(urgent: 8 + LaneScheduler.shares.urgent))
    }

    @Test(arguments: [(Lane.urgent, 64), (.normal, 56), (.background, 32)])
    func `a lane has no more room than its part`(_ example: (lane: Lane, count: Int)) {
        var scheduler = LaneScheduler(inFlightMax: 64)
        let taken = (0..<100).map { _ in scheduler.reserve(1, in: example.lane, beside: .init()) }
        #expect(taken.count(where: { $0 }) == example.count)
    }

    private static func reserve(
        _ tickets: Range<Int>,
        for devices: [DeviceBucket.Key],
        _ flow: inout DispatchFlow,
        in lane: Lane,
        now: Int64
    ) -> Bool {
        flow.reserve(tickets, for: devices, replacing: devices.map { _ in nil }, in: lane, now: now)
    }

    @Test func `a request has room for all of its notifications or takes none`() {
        var flow = DispatchFlow(inFlightMax: 8, bucket: DeviceBucket(perMinute: 60, burst: 1, deviceCountMax: 100))
        let granted = [
            Self.reserve(1..<2, for: [Self.key(2)], &flow, in: .urgent, now: 0),
            // The second device's bucket is empty; the first one's stays as it was.
            Self.reserve(2..<4, for: [Self.key(1), Self.key(2)], &flow, in: .urgent, now: 0),
            Self.reserve(2..<3, for: [Self.key(1)], &flow, in: .urgent, now: 0),
            Self.reserve(3..<10, for: (3..<10).map(Self.key), &flow, in: .urgent, now: 0),
        ]
        #expect(granted == [true, false, true, false])
        #expect(flow.scheduler.inFlight.urgent == 2)
        flow.didNotStore(1..<3)
        #expect(flow.isIdle && flow.scheduler.inFlight.urgent == 0)
    }

    @Test func `a broadcast waits for its turns, and nothing has room in a drain or while writes fail`() {
        let bucket = DeviceBucket(perMinute: 60, burst: 9, deviceCountMax: 1_000)
        var flow = DispatchFlow(inFlightMax: 1_000, bucket: bucket)
        let many = (0..<UInt64(DispatchFlow.handOverCountMax + 1)).map(Self.key)
        var granted = [Self.reserve(1..<many.count + 1, for: many, &flow, in: .urgent, now: 0)]
        flow.failureCount = 1
        granted.append(Self.reserve(1..<2, for: [Self.key(1)], &flow, in: .urgent, now: 0))
        flow.failureCount = 0
        granted.append(Self.reserve(1..<2, for: [Self.key(1)], &flow, in: .urgent, now: 0))
        flow.drain()
        granted.append(Self.reserve(2..<3, for: [Self.key(1)], &flow, in: .urgent, now: 0))
        #expect(granted == [false, false, true, false])
        #expect(!flow.isIdle, "what has room is waited for")
    }
}

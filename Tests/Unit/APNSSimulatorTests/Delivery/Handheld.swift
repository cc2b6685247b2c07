import APNS
import DeviceLink
import Testing

@testable import APNSSimulator

/// One app on one device before an engine, and a clock in milliseconds, for tests of single transitions.
struct Handheld {
    static let start: Int64 = 2_051_222_400_000
    /// More than any of these tests needs.
    private static let wakeUpCountMax = 100

    var engine: DeliveryEngine
    var now = start
    var wakeUpCount = 0
    let address = DeliveryEngine.Address(installation: 0, device: 1)

    init(_ change: (inout DeliverySettings) -> Void = { _ in }) {
        var settings = DeliverySettings()
        change(&settings)
        engine = DeliveryEngine(settings)
    }

    mutating func connect(_ state: DeviceState = [], as connection: Int = 7) -> [DeliveryEffect] {
        engine.connect(address, connection, state, at: now)
    }

    mutating func disconnect() -> [DeliveryEffect] { engine.disconnect(address, at: now) }

    mutating func change(to state: DeviceState) -> [DeliveryEffect] { engine.change(address, to: state, at: now) }

    mutating func accept(_ push: DevicePush) -> [DeliveryEffect] {
        engine.accept(push, uniqueID: Self.uniqueID(of: push), for: address, at: now)
    }

    mutating func acknowledge(_ push: DevicePush) -> [DeliveryEffect] {
        engine.acknowledge(push.id, from: address, at: now)
    }

    /// Advances the clock with a stop at each alarm of the engine.
    mutating func advance(seconds: Int64) -> [DeliveryEffect] {
        let end = now + seconds * 1000
        var effects: [DeliveryEffect] = []
        while let next = engine.nextWakeUp, next <= end {
            now = max(now, next)
            effects += engine.wake(at: now)
            wakeUpCount += 1
            // Each wake-up has an event: an engine that repeats its alarm would never end here.
            guard wakeUpCount <= Self.wakeUpCountMax else {
                Issue.record("woken \(wakeUpCount) times")
                break
            }
        }
        now = end
        return effects
    }

    mutating func outcomes(of push: DevicePush) -> [DeliveryLog.Outcome] {
        engine.log.entry(Self.uniqueID(of: push), atMilliseconds: now)?.steps.map(\.outcome) ?? []
    }

    static func uniqueID(of push: DevicePush) -> APNSID {
        APNSID(randomBytes: push.id.bytes.map { $0 ^ 0xFF })
    }

    static func push(
        _ number: UInt8,
        _ pushType: PushType = .alert,
        priority: Priority? = nil,
        expiration: UInt64? = nil,
        payload: String = "{}"
    ) throws -> DevicePush {
        DevicePush(
            id: APNSID(randomBytes: [UInt8](repeating: number, count: 16)),
            topic: try Topic("com.example.chat"),
            pushType: pushType,
            priority: priority ?? (pushType == .background ? .powerAware : .immediate),
            expiration: expiration.map { Expiration(unixSeconds: $0) },
            collapseID: nil,
            payload: Array(payload.utf8)
        )
    }
}

extension [DeliveryEffect] {
    var sent: [APNSID] {
        compactMap { effect in
            if case .send(let push, _) = effect { push.id } else { nil }
        }
    }

    var happened: [DeliveryEvent] {
        compactMap { effect in
            if case .happened(let event) = effect { event } else { nil }
        }
    }
}

extension DeliveryLog {
    func entry(_ uniqueID: APNSID, atMilliseconds now: Int64) -> Entry? {
        entries(.uniqueID(uniqueID), countMax: 1, atMilliseconds: now).first
    }

    func newest(_ countMax: Int, atMilliseconds now: Int64) -> [Entry] {
        entries(.all, countMax: countMax, atMilliseconds: now)
    }
}

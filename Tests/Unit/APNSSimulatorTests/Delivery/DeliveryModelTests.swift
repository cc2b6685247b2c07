import APNS
import DeviceLink
import TestSupport
import Testing

@testable import APNSSimulator

/// The engine beside the model, over random days of three phones.
struct DeliveryModelTests {
    /// Runs a day's events by a seed.
    ///
    /// - Returns: what each did where engine and model differ first.
    private static func difference(_ subject: DeliverySubject, seed: UInt64, stepCount: Int) throws -> String? {
        var (random, subject, model) = (SeededRandom(seed: seed), subject, DeliveryModel(phoneCount: 3))
        let topic = try Topic("com.example.chat")
        var now: Int64 = 2_051_222_400_000
        model.advance(to: now)
        _ = model.takeStory()
        for step in 0..<stepCount {
            now += Self.pause(&random)
            let passed = subject.advance(to: now)
            model.advance(to: now)
            let expected = model.takeStory()
            guard passed == expected else { return "step \(step), time: \(passed) instead of \(expected)" }
            let device = Int.random(in: 0..<3, using: &random)
            let connection = model.phones[device].connection
            let (name, story): (String, Story)
            switch Int.random(in: 0..<16, using: &random) {
            case 0...1 where connection != nil:
                model.disconnect(device)
                (name, story) = ("disconnect", subject.disconnect(device, at: now))
            case 0...3 where connection == nil:
                let state = Self.state(&random)
                model.connect(device, step, state)
                (name, story) = ("connect", subject.connect(device, step, state, at: now))
            case 2...3 where connection != nil:
                let state = Self.state(&random)
                model.change(device, to: state)
                (name, story) = ("change", subject.change(device, to: state, at: now))
            case 4...8:
                guard let id = model.onTheWay(to: device).randomElement(using: &random) else { continue }
                model.acknowledge(id, device)
                (name, story) = ("acknowledge", subject.acknowledge(id, device, at: now))
            default:
                let push = Self.push(step, topic, now, &random)
                model.accept(push, for: device)
                (name, story) = ("accept", subject.accept(push, for: device, at: now))
            }
            let modelled = model.takeStory()
            guard story == modelled else { return "step \(step), \(name): \(story) instead of \(modelled)" }
        }
        return nil
    }

    private static func pause(_ random: inout SeededRandom) -> Int64 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...4: Int64.random(in: 0...5, using: &random)
        case 5...7: Int64.random(in: 0...60_000, using: &random)
        case 8: Int64.random(in: 0...1_800_000, using: &random)
        default: Int.random(in: 0..<20, using: &random) == 0 ? 31 * 86_400_000 : 1000
        }
    }

    private static func state(_ random: inout SeededRandom) -> DeviceState {
        // Mostly no fault, or low power: rare states hide common ones.
        switch Int.random(in: 0..<6, using: &random) {
        case 0...1: []
        case 2...3: .lowPower
        default: DeviceState(rawValue: UInt8.random(in: 0...DeviceState.all.rawValue, using: &random))
        }
    }

    private static func push(_ step: Int, _ topic: Topic, _ now: Int64, _ random: inout SeededRandom) -> DevicePush {
        let pushType: PushType = [.alert, .alert, .background, .voip][Int.random(in: 0..<4, using: &random)]
        let priority: Priority = [.immediate, .powerAware, .low][Int.random(in: 0..<3, using: &random)]
        let expiration: Expiration? =
            switch Int.random(in: 0..<6, using: &random) {
            case 0: .oneAttempt
            case 1...3: Expiration(unixSeconds: UInt64(now / 1000 + Int64.random(in: -1...90, using: &random)))
            case 4: Expiration(unixSeconds: UInt64(now / 1000 + 7200))
            default: nil
            }
        return DevicePush(
            id: APNSID(randomBytes: (0..<16).map { UInt8(truncatingIfNeeded: step >> (8 * ($0 % 4))) }),
            topic: topic,
            pushType: pushType,
            priority: priority,
            expiration: expiration,
            collapseID: nil,
            payload: Array("{}".utf8)
        )
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `over random days the engine does what the model does`(_ seed: UInt64) throws {
        let difference = try Self.difference(DeliverySubject(), seed: seed, stepCount: 3000)
        #expect(difference == nil, "seed \(seed)")
    }

    @Test(arguments: DeliverySubject.Mistake.allCases)
    func `the model finds every mistake that is put into the engine`(_ mistake: DeliverySubject.Mistake) throws {
        let found = try (1...4 as ClosedRange<UInt64>).contains { seed in
            try Self.difference(DeliverySubject(mistake), seed: seed, stepCount: 3000) != nil
        }
        #expect(found, "\(mistake), seeds 1 to 4")
    }
}

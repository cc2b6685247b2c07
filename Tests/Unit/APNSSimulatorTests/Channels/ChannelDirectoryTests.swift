import APNS
import DeviceLink
import Primitives
import TestSupport
import Testing

@testable import APNSSimulator

/// Channels as a value: no socket, no clock.
struct ChannelDirectoryTests {
    private static let now: Int64 = 2_051_222_400

    private static func app(_ name: String = "com.example.chat") throws -> Topic { try Topic(name) }

    private static func id(_ number: Int) -> ChannelID {
        ChannelID(appleBytes: (0..<16).map { $0 < 8 ? 0 : UInt8(truncatingIfNeeded: number >> (120 - 8 * $0)) })
    }

    private static func push(_ number: UInt8, until seconds: UInt64? = 0) throws -> DevicePush {
        DevicePush(
            id: APNSID(randomBytes: [UInt8](repeating: number, count: 16)),
            topic: try Topic("com.example.chat.push-type.liveactivity"),
            pushType: .liveactivity,
            priority: .immediate,
            expiration: seconds.map { Expiration(unixSeconds: $0) },
            collapseID: nil,
            payload: [number]
        )
    }

    /// A directory with one channel, and device 1 connected and subscribed.
    private struct Stage {
        var directory: ChannelDirectory
        let app: Topic
        let channel = ChannelDirectoryTests.id(1)

        init(_ policy: ChannelStoragePolicy, _ settings: ChannelSettings = ChannelSettings()) throws {
            directory = ChannelDirectory(settings)
            app = try ChannelDirectoryTests.app()
            let channel = channel
            _ = try directory.create(of: app, policy: policy) { channel }
            _ = directory.connect(1, now: now)
            _ = directory.subscribe(1, to: channel, of: app, now: now)
        }

        mutating func publish(_ push: DevicePush, at time: Int64 = now) -> [ChannelDirectory.Effect] {
            directory.publish(push, on: channel, of: app, now: time)
        }

        mutating func leave() { directory.disconnect(1) }

        mutating func comeBack(at time: Int64 = now) -> [UInt8] {
            directory.connect(1, now: time).compactMap {
                if case .send(let push, 1) = $0 { push.payload[0] } else { nil }
            }
        }
    }

    @Test func `a channel's name is 16 bytes in base64, and no other text is one`() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<1000 {
            let bytes = random.bytes(count: 16)
            let id = ChannelID(appleBytes: bytes)
            #expect(id.description == Base64Text.standard(Base64Text.url(bytes)) && id.isApples)
        }
        for text in ["AAAAAAAAAAAAAAAAAAAAAB==", "AAAAAAAAAAAAAAAAAAAAAA=", "AAAAAAAAAAAAAAAAAAAAAAA=", "AAAA", "===="]
        {
            #expect(try !ChannelID(text).isApples, "\(text)")
        }
        #expect(try !ChannelID("-_AAAAAAAAAAAAAAAAAAAA==").isApples)
    }

    @Test func `an app has 10,000 channels, another app its own, and removing one makes room`() throws {
        var directory = ChannelDirectory()
        let app = try Self.app()
        for number in 0..<10_000 { _ = try directory.create(of: app, policy: .none) { Self.id(number) } }
        #expect(throws: ChannelError(.cannotCreateChannelConfiguration)) {
            try directory.create(of: app, policy: .none) { Self.id(10_000) }
        }
        _ = try directory.create(of: Self.app("com.example.other"), policy: .none) { Self.id(10_001) }
        #expect(try directory.list(of: app) == (0..<10_000).map(Self.id))
        _ = try directory.delete(Self.id(17), of: app)
        _ = try directory.create(of: app, policy: .none) { Self.id(10_002) }
        #expect(try directory.list(of: app).count == 10_000)
    }

    @Test func `only so many apps have channels`() throws {
        var settings = ChannelSettings()
        settings.appCountMax = 1
        var directory = ChannelDirectory(settings)
        _ = try directory.create(of: Self.app(), policy: .none) { Self.id(1) }
        _ = try directory.create(of: Self.app(), policy: .none) { Self.id(2) }
        #expect(throws: ChannelError(.cannotCreateChannelConfiguration)) {
            try directory.create(of: Self.app("com.example.other"), policy: .none) { Self.id(3) }
        }
    }

    @Test func `no name is given twice in one environment`() throws {
        var directory = ChannelDirectory()
        _ = try directory.create(of: Self.app(), policy: .none) { Self.id(1) }
        var offers = [1, 1, 2]
        let (id, _) = try directory.create(of: Self.app("com.example.other"), policy: .none) {
            Self.id(offers.removeFirst())
        }
        #expect(id == Self.id(2) && offers.isEmpty)
    }

    @Test func `a channel that keeps nothing reaches who is there, and nobody later`() throws {
        var stage = try Stage(.none)
        let push = try Self.push(1)
        #expect(stage.publish(push) == [.happened(.published(push.id, channel: 1, deviceCount: 1)), .send(push, 1)])
        stage.leave()
        #expect(stage.comeBack() == [])
        stage.leave()
        #expect(stage.publish(push) == [.happened(.published(push.id, channel: 1, deviceCount: 0))])
        #expect(stage.comeBack() == [])
    }

    @Test func `the newest message waits for who is away, eight hours at most`() throws {
        var stage = try Stage(.mostRecent)
        stage.leave()
        _ = stage.publish(try Self.push(1, until: .max))
        _ = stage.publish(try Self.push(2, until: .max))
        let end = Self.now + 8 * 3600
        #expect(stage.comeBack(at: end - 1) == [2])
        stage.leave()
        #expect(stage.comeBack(at: end) == [])
    }

    @Test(arguments: [nil, 60, 8 * 3600 + 60] as [UInt64?])
    func `a message waits no longer than it says`(_ seconds: UInt64?) throws {
        var stage = try Stage(.mostRecent)
        stage.leave()
        let until = seconds.map { UInt64(Self.now) + $0 }
        let end = Self.now + Int64(min(seconds ?? .max, 8 * 3600))
        _ = stage.publish(try Self.push(1, until: until))
        #expect(stage.comeBack(at: end - 1) == [1])
        stage.leave()
        #expect(stage.comeBack(at: end) == [])
    }

    @Test(arguments: [true, false])
    func `a message that may not wait takes away the one that does, if the setting says so`(_ replaces: Bool) throws {
        var settings = ChannelSettings()
        settings.unstoredReplacesStored = replaces
        var stage = try Stage(.mostRecent, settings)
        stage.leave()
        _ = stage.publish(try Self.push(1, until: .max))
        _ = stage.publish(try Self.push(2, until: 0))
        #expect(stage.comeBack() == (replaces ? [] : [1]))
    }

    @Test func `what was acknowledged does not come again, and what was not does`() throws {
        var stage = try Stage(.mostRecent)
        let push = try Self.push(1, until: .max)
        _ = stage.publish(push)
        stage.leave()
        #expect(stage.comeBack() == [1], "it was on its way")
        let delivered = stage.directory.acknowledge(push.id, from: 1, now: Self.now)
        #expect(delivered == [.happened(.delivered(push.id, channel: 1, device: 1))])
        stage.leave()
        #expect(stage.comeBack() == [])
        #expect(stage.directory.acknowledge(push.id, from: 1, now: Self.now) == [], "a second time means nothing")
    }

    @Test func `a new listener gets the message that waits`() throws {
        var stage = try Stage(.mostRecent)
        let push = try Self.push(1, until: .max)
        _ = stage.publish(push)
        _ = stage.directory.connect(2, now: Self.now)
        let (answer, effects) = stage.directory.subscribe(2, to: stage.channel, of: stage.app, now: Self.now)
        #expect(answer == .active && effects == [.happened(.subscribed(channel: 1, device: 2)), .send(push, 2)])
        let again = stage.directory.subscribe(2, to: stage.channel, of: stage.app, now: Self.now)
        #expect(again.answer == .active && again.effects == [])
    }

    @Test func `a device that acknowledges nothing gets the newest message when it has`() throws {
        var stage = try Stage(.mostRecent)
        let max = UInt8(ChannelDirectory.unacknowledgedCountMax)
        for number in 1...max { #expect(stage.publish(try Self.push(number, until: .max)).count == 3) }
        for number in max + 1...max + 3 { #expect(stage.publish(try Self.push(number, until: .max)).count == 2) }
        let newest = try Self.push(max + 3, until: .max)
        let effects = stage.directory.acknowledge(try Self.push(1).id, from: 1, now: Self.now)
        #expect(effects.last == .send(newest, 1))
        #expect(stage.directory.acknowledge(try Self.push(2).id, from: 1, now: Self.now).count == 1)
    }

    @Test func `a channel that is gone sends to nobody, and who has left gets nothing`() throws {
        var stage = try Stage(.mostRecent)
        _ = stage.directory.unsubscribe(1, from: stage.channel, of: stage.app)
        let push = try Self.push(1, until: .max)
        #expect(stage.publish(push).count == 2)
        #expect(stage.comeBack() == [])
        _ = stage.directory.subscribe(1, to: stage.channel, of: stage.app, now: Self.now)
        #expect(try stage.directory.delete(stage.channel, of: stage.app) == [.happened(.deleted(channel: 1))])
        #expect(stage.publish(push) == [])
        stage.leave()
        #expect(stage.comeBack() == [])
        let answer = stage.directory.subscribe(1, to: stage.channel, of: stage.app, now: Self.now).answer
        #expect(answer == .channelUnknown)
    }

    @Test func `a summary tells of each channel what it is, keeps and counts`() throws {
        var stage = try Stage(.mostRecent)
        _ = try stage.directory.create(of: Self.app("com.example.other"), policy: .none) { Self.id(2) }
        let push = try Self.push(7, until: UInt64(Self.now) + 60)
        _ = stage.publish(push)
        _ = stage.directory.acknowledge(push.id, from: 1, now: Self.now)
        let summaries = stage.directory.summaries(now: Self.now + 59)
        #expect(summaries.map(\.number) == [1, 2] && summaries.map(\.id) == [stage.channel, Self.id(2)])
        #expect(summaries.map(\.app.description) == ["com.example.chat", "com.example.other"])
        #expect(summaries.map(\.policy) == [.mostRecent, .none] && summaries[1].stored == nil)
        #expect(summaries[0].stored == ChannelSummary.Stored(id: push.id, until: Self.now + 60))
        let metrics = summaries[0].metrics
        #expect(metrics.publishedCount == 1 && metrics.deliveredCount == 1 && metrics.subscriberCount == 1)
        #expect(summaries[1].metrics == ChannelMetrics())
        #expect(stage.directory.summaries(now: Self.now + 60)[0].stored == nil)
    }

    @Test func `a device that listens to nothing and has left is forgotten`() throws {
        var stage = try Stage(.none)
        _ = stage.directory.connect(2, now: Self.now)
        stage.directory.disconnect(2)
        stage.leave()
        #expect(stage.directory.subscribers.keys.sorted() == [1])
        _ = stage.directory.unsubscribe(1, fromAllOf: stage.app)
        #expect(stage.directory.subscribers.isEmpty)
    }

    @Test func `a channel takes so many broadcasts a minute`() throws {
        var settings = ChannelSettings()
        settings.broadcastsPerMinuteMax = 2
        var stage = try Stage(.none, settings)
        func admit(_ time: Int64) -> Bool { stage.directory.admit(stage.channel, of: stage.app, now: time) }
        let minute = Self.now - Self.now % 60
        #expect(admit(minute) && admit(minute + 59) && !admit(minute + 59))
        #expect(admit(minute + 60) && admit(minute + 60) && !admit(minute + 60))
        stage = try Stage(.none)
        #expect((0..<1000).allSatisfy { _ in admit(minute) })
    }

    /// Compares with a model that knows of each device only what it has acknowledged.
    @Test func `ten thousand random events lose nothing that a channel keeps`() throws {
        let seed: UInt64 = 20_240_918
        var random = SeededRandom(seed: seed)
        var stage = try Stage(.mostRecent)
        var (stored, online) = (DevicePush?.none, Set([1]))
        var (had, coming) = ([Int: APNSID](), [Int: [APNSID]]())
        for device in 2...4 {
            _ = stage.directory.connect(device, now: Self.now)
            _ = stage.directory.subscribe(device, to: stage.channel, of: stage.app, now: Self.now)
            online.insert(device)
        }
        for step in 0..<10_000 {
            let device = Int.random(in: 1...4, using: &random)
            var effects: [ChannelDirectory.Effect] = []
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                var push = try Self.push(0, until: Bool.random(using: &random) ? .max : 0)
                push.id = APNSID(randomBytes: random.bytes(count: 16))
                stored = push.expiration == .oneAttempt ? nil : push
                effects = stage.publish(push)
            case 1 where online.remove(device) != nil:
                stage.directory.disconnect(device)
                coming[device] = nil
            case 2 where online.insert(device).inserted: effects = stage.directory.connect(device, now: Self.now)
            default:
                guard let id = coming[device]?.first else { continue }
                coming[device]?.removeFirst()
                had[device] = id
                effects = stage.directory.acknowledge(id, from: device, now: Self.now)
            }
            for case .send(let push, let device) in effects { coming[device, default: []].append(push.id) }
            guard let stored else { continue }
            for device in online where (coming[device] ?? []).count < ChannelDirectory.unacknowledgedCountMax {
                let hasIt = had[device] == stored.id || coming[device]?.contains(stored.id) == true
                #expect(hasIt, "step \(step), device \(device), seed \(seed)")
            }
            #expect(coming.values.allSatisfy { $0.count <= ChannelDirectory.unacknowledgedCountMax })
        }
    }
}

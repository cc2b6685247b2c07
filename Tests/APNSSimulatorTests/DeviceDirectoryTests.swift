import APNS
import DeviceLink
import TestSupport
import Testing

@testable import APNSSimulator

struct DeviceDirectoryTests {
    private static let now: Int64 = 2_051_222_400
    private let chat: Topic
    private let token: DeviceToken
    private var directory = DeviceDirectory(deviceCountMax: 2)

    init() throws {
        chat = try Topic("com.example.chat")
        token = try DeviceToken(bytes: [UInt8](repeating: 1, count: 32))
    }

    private func push(_ number: UInt8, expiration: UInt64? = nil) -> DevicePush {
        DevicePush(
            id: APNSID(randomBytes: [UInt8](repeating: number, count: 16)),
            topic: chat,
            pushType: .alert,
            priority: .immediate,
            expiration: expiration.map { Expiration(unixSeconds: $0) },
            collapseID: nil,
            payload: [number]
        )
    }

    private mutating func connect(
        _ connection: Int,
        earlier: DeviceToken? = nil,
        now: Int64 = now
    ) throws -> [DeviceDirectory.Effect] {
        try directory.connect(connection, bundleID: chat, earlierToken: earlier, freshToken: token, now: now).effects
    }

    @Test mutating func `a device that is there gets the push at once, and its acknowledgement is the delivery`() throws
    {
        #expect(try connect(7) == [.happened(.connected(device: 1))])
        #expect(directory.accept(push(1), for: token, now: Self.now) == [.send(push(1), 7)])
        #expect(
            directory.acknowledge(push(1).id, from: 7, now: Self.now) == [.happened(.delivered(push(1).id, device: 1))]
        )
        #expect(directory.acknowledge(push(1).id, from: 7, now: Self.now) == [])
    }

    @Test mutating func `for a device that is away only the newest push waits`() throws {
        _ = try connect(7)
        #expect(directory.disconnect(7, now: Self.now) == [.happened(.disconnected(device: 1))])
        #expect(directory.accept(push(1), for: token, now: Self.now) == [.happened(.stored(push(1).id, device: 1))])
        #expect(
            directory.accept(push(2), for: token, now: Self.now) == [
                .happened(.replaced(push(1).id, device: 1)), .happened(.stored(push(2).id, device: 1)),
            ]
        )
        #expect(
            try connect(8, earlier: token) == [.happened(.connected(device: 1)), .send(push(2), 8)]
        )
    }

    @Test mutating func `a push with expiration 0 or in the past never waits`() throws {
        _ = try connect(7)
        _ = directory.disconnect(7, now: Self.now)
        for expiration in [0, UInt64(Self.now)] {
            let late = push(3, expiration: expiration)
            #expect(directory.accept(late, for: token, now: Self.now) == [.happened(.discarded(late.id, device: 1))])
        }
    }

    @Test mutating func `a push that waited too long is discarded when the device comes`() throws {
        _ = try connect(7)
        _ = directory.disconnect(7, now: Self.now)
        let short = push(4, expiration: UInt64(Self.now) + 10)
        #expect(directory.accept(short, for: token, now: Self.now) == [.happened(.stored(short.id, device: 1))])
        #expect(
            try connect(8, earlier: token, now: Self.now + 10) == [
                .happened(.connected(device: 1)), .happened(.discarded(short.id, device: 1)),
            ]
        )
    }

    @Test mutating func `what was on its way when the connection broke waits, the newest of it`() throws {
        _ = try connect(7)
        _ = directory.accept(push(1), for: token, now: Self.now)
        _ = directory.accept(push(2), for: token, now: Self.now)
        #expect(
            directory.disconnect(7, now: Self.now) == [
                .happened(.disconnected(device: 1)), .happened(.stored(push(1).id, device: 1)),
                .happened(.replaced(push(1).id, device: 1)), .happened(.stored(push(2).id, device: 1)),
            ]
        )
        #expect(try connect(8, earlier: token).last == .send(push(2), 8))
    }

    @Test mutating func `a device that does not acknowledge is treated as away, and catches up`() throws {
        _ = try connect(7)
        let countMax = DeviceDirectory.unacknowledgedCountMax
        for number in 0..<countMax {
            #expect(directory.accept(push(UInt8(number)), for: token, now: Self.now) == [.send(push(UInt8(number)), 7)])
        }
        let extra = push(200)
        #expect(directory.accept(extra, for: token, now: Self.now) == [.happened(.stored(extra.id, device: 1))])
        #expect(
            directory.acknowledge(push(0).id, from: 7, now: Self.now) == [
                .happened(.delivered(push(0).id, device: 1)), .send(extra, 7),
            ]
        )
    }

    @Test mutating func `a device that connects twice keeps its token and loses the older connection`() throws {
        _ = try connect(7)
        _ = directory.accept(push(1), for: token, now: Self.now)
        #expect(
            try connect(8, earlier: token) == [
                .close(7), .happened(.disconnected(device: 1)), .happened(.stored(push(1).id, device: 1)),
                .happened(.connected(device: 1)), .send(push(1), 8),
            ]
        )
        // The old connection's end comes later and changes nothing.
        #expect(directory.disconnect(7, now: Self.now) == [])
        #expect(directory.acknowledge(push(1).id, from: 7, now: Self.now) == [])
    }

    @Test mutating func `an unknown earlier token is replaced, one of another app is refused`() throws {
        let unknown = try DeviceToken(bytes: [9])
        let connected = try directory.connect(
            7,
            bundleID: chat,
            earlierToken: unknown,
            freshToken: token,
            now: Self.now
        )
        #expect(connected.token == token)
        #expect(directory.registration(of: unknown) == nil)
        let other = try Topic("com.example.other")
        #expect(throws: DeviceRefused(refusal: .tokenOfAnotherTopic)) {
            try directory.connect(8, bundleID: other, earlierToken: token, freshToken: unknown, now: Self.now)
        }
    }

    @Test mutating func `the number of devices is bounded`() throws {
        for number in 0..<2 {
            let fresh = try DeviceToken(bytes: [UInt8(number)])
            _ = try directory.connect(number, bundleID: chat, earlierToken: nil, freshToken: fresh, now: Self.now)
        }
        #expect(throws: DeviceRefused(refusal: .tooManyDevices)) {
            try directory.connect(3, bundleID: chat, earlierToken: nil, freshToken: token, now: Self.now)
        }
    }

    @Test mutating func `an app that is gone is unregistered until it comes back`() throws {
        _ = try connect(7)
        _ = directory.disconnect(7, now: Self.now)
        _ = directory.accept(push(1), for: token, now: Self.now)
        directory.unregister(token, atMilliseconds: 5)
        #expect(directory.registration(of: token)?.unregisteredAtMilliseconds == 5)
        #expect(try connect(8, earlier: token) == [.happened(.connected(device: 1))])
        #expect(directory.registration(of: token)?.unregisteredAtMilliseconds == nil)
    }

    @Test mutating func `whatever happens, every accepted push ends once at most, and none is lost silently`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        var isConnected = false
        var connection = 0
        var unacknowledged: [DevicePush] = []
        var open: Set<APNSID> = []
        _ = try connect(0)
        isConnected = true
        for step in 1...10_000 {
            var effects: [DeviceDirectory.Effect] = []
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where isConnected:
                effects = directory.disconnect(connection, now: Self.now)
                isConnected = false
                unacknowledged = []
            case 1 where !isConnected:
                connection = step
                effects = try connect(step, earlier: token)
                isConnected = true
            case 2...5 where !unacknowledged.isEmpty:
                let acknowledged = unacknowledged.remove(at: Int.random(in: 0..<unacknowledged.count, using: &random))
                effects = directory.acknowledge(acknowledged.id, from: connection, now: Self.now)
            default:
                var random16 = [UInt8](repeating: 0, count: 16)
                for index in 0..<16 { random16[index] = UInt8.random(in: 0...255, using: &random) }
                var fresh = push(0, expiration: Bool.random(using: &random) ? 0 : nil)
                fresh.id = APNSID(randomBytes: random16)
                open.insert(fresh.id)
                effects = directory.accept(fresh, for: token, now: Self.now)
            }
            for effect in effects {
                switch effect {
                case .send(let push, let to):
                    #expect(to == connection && isConnected, "seed \(seed)")
                    #expect(open.contains(push.id), "sent after its end, seed \(seed)")
                    unacknowledged.append(push)
                case .happened(.delivered(let id, _)), .happened(.replaced(let id, _)),
                    .happened(.discarded(let id, _)):
                    #expect(open.remove(id) != nil, "ended twice, seed \(seed)")
                case .happened(.stored(let id, _)):
                    #expect(open.contains(id), "stored after its end, seed \(seed)")
                case .close, .happened(.connected), .happened(.disconnected): break
                }
            }
            // What is neither on its way nor waiting has ended: one may wait, the rest is on its way.
            #expect(open.count <= unacknowledged.count + 1, "lost at step \(step), seed \(seed)")
        }
    }
}

import APNS
import DeviceLink
import TestSupport
import Testing

@testable import APNSSimulator

struct DeviceDirectoryTests {
    private static let now: Int64 = 2_051_222_400_000
    private let chat: Topic
    private let mint = DeviceTokenMint()
    private var directory: DeviceDirectory
    private let ann = DeviceOwner(publicKeyDER: [1])
    private let bob = DeviceOwner(publicKeyDER: [2])

    init() throws {
        chat = try Topic("com.example.chat")
        directory = DeviceDirectory(mint: mint, deviceCountMax: 4)
    }

    private mutating func connect(
        _ connection: Int,
        _ earlierToken: DeviceToken? = nil,
        _ arrival: DeviceHello.Arrival = .same,
        owner: DeviceOwner? = nil,
        topic: Topic? = nil
    ) throws -> (token: DeviceToken, effects: [DeliveryEffect]) {
        let hello = DeviceHello(topic: topic ?? chat, earlierToken: earlierToken, arrival: arrival)
        return try directory.connect(connection, hello, owner: owner, salt: UInt32(connection), at: Self.now)
    }

    private mutating func accept(_ push: DevicePush, _ token: DeviceToken) -> [DeliveryEffect] {
        directory.accept(push, for: token, uniqueID: APNSID(), at: Self.now)
    }

    @Test mutating func `a device that comes again with its token keeps it, and gets what waited`() throws {
        let token = try connect(1).token
        #expect(directory.disconnect(1, at: Self.now) == [.happened(.disconnected(device: 1))])
        let push = try Handheld.push(1)
        #expect(accept(push, token) == [.happened(.stored(push.id, device: 1))])
        let again = try connect(2, token)
        #expect(again.token == token)
        #expect(again.effects == [.happened(.connected(device: 1)), .send(push, 2)])
        #expect(directory.acknowledge(push.id, from: 2, at: Self.now) == [.happened(.delivered(push.id, device: 1))])
        #expect(directory.registration(of: token) == RequestValidator.Registration(bundleID: chat, kind: .app))
        #expect(directory.number(of: token) == 1)
    }

    @Test mutating func `a device that connects twice loses the older connection`() throws {
        let token = try connect(1).token
        let push = try Handheld.push(1)
        _ = accept(push, token)
        #expect(
            try connect(2, token).effects == [
                .close(1), .happened(.disconnected(device: 1)), .happened(.stored(push.id, device: 1)),
                .happened(.connected(device: 1)), .send(push, 2),
            ]
        )
        // The old connection's end comes later and changes nothing.
        #expect(directory.disconnect(1, at: Self.now) == [])
        #expect(directory.acknowledge(push.id, from: 1, at: Self.now) == [])
    }

    @Test mutating func `a token that nobody made is replaced by a new one`() throws {
        let unknown = try DeviceToken(bytes: [UInt8](repeating: 9, count: 32))
        let token = try connect(1, unknown).token
        #expect(token != unknown)
        #expect(directory.registration(of: unknown) == nil)
        #expect(directory.report(on: unknown) == nil)
    }

    @Test mutating func `a token of an earlier run with the same key is replaced, and its pushes are nobody's`() throws
    {
        var earlier = DeviceDirectory(mint: mint)
        let old = try earlier.enrol(chat, salt: 99)
        _ = try connect(1)
        #expect(directory.registration(of: old) == nil)
        #expect(directory.report(on: old)?.status == .unknown)
        #expect(try connect(2, old).token != old)
    }

    @Test mutating func `a token of another app is refused`() throws {
        let token = try connect(1).token
        let other = try Topic("com.example.other")
        #expect(throws: DeviceError(refusal: .tokenOfAnotherTopic)) { try connect(2, token, topic: other) }
    }

    @Test mutating func `a token of another device is refused, and the device that has it goes on`() throws {
        let token = try connect(1, owner: ann).token
        for owner in [bob, nil] {
            #expect(throws: DeviceError(refusal: .tokenOfAnotherDevice)) { try connect(2, token, owner: owner) }
            #expect(throws: DeviceError(refusal: .tokenOfAnotherDevice)) {
                try connect(2, token, .reinstalled, owner: owner)
            }
        }
        let push = try Handheld.push(1)
        #expect(accept(push, token) == [.send(push, 1)])
    }

    @Test mutating func `a token that was given without a certificate is not taken with one`() throws {
        let token = try connect(1).token
        #expect(throws: DeviceError(refusal: .tokenOfAnotherDevice)) { try connect(2, token, owner: ann) }
    }

    @Test mutating func `a token of the other environment is refused, and gets BadDeviceToken`() throws {
        var production = DeviceDirectory(environment: .production, mint: mint)
        let token = try production.enrol(chat, salt: 1)
        _ = try connect(1)
        #expect(directory.registration(of: token) == nil)
        #expect(throws: DeviceError(refusal: .tokenOfAnotherEnvironment)) { try connect(2, token) }
        let report = try #require(directory.report(on: token))
        #expect(report.environment == .production && report.status == .otherEnvironment)
        #expect(report.bundleID == chat && report.device == nil)
    }

    @Test mutating func `an app that is installed again gets a new token, and the old one is gone for ever`() throws {
        let old = try connect(1, owner: ann).token
        _ = directory.disconnect(1, at: Self.now)
        let push = try Handheld.push(1)
        _ = accept(push, old)
        let (token, effects) = try connect(2, old, .reinstalled, owner: ann)
        #expect(token != old)
        #expect(
            effects == [.happened(.discarded(push.id, .tokenInactive, device: 1)), .happened(.connected(device: 1))]
        )
        #expect(directory.registration(of: old)?.unregisteredAtMilliseconds == Self.now)
        #expect(directory.report(on: old)?.status == .replaced(atMilliseconds: Self.now))
        #expect(directory.report(on: token)?.status == .active)
        #expect(directory.report(on: token)?.generation == 1)
        #expect(directory.number(of: token) == 1)
        // The old token stays inactive.
        #expect(try connect(3, old, owner: ann).token != old)
        #expect(directory.registration(of: old)?.unregisteredAtMilliseconds == Self.now)
    }

    @Test mutating func `an app that is installed again while its old connection is open ends that`() throws {
        let old = try connect(1).token
        let effects = try connect(2, old, .reinstalled).effects
        #expect(effects.starts(with: [.close(1), .happened(.disconnected(device: 1))]))
    }

    @Test mutating func `a backup restored on the same device rotates the token`() throws {
        let old = try connect(1, owner: ann).token
        _ = directory.disconnect(1, at: Self.now)
        let token = try connect(2, old, .restored, owner: ann).token
        #expect(token != old)
        #expect(directory.registration(of: old)?.unregisteredAtMilliseconds == Self.now)
    }

    @Test mutating func `a backup restored on another device gets a token there, and the first device keeps its own`()
        throws
    {
        let old = try connect(1, owner: ann).token
        let token = try connect(2, old, .restored, owner: bob).token
        #expect(token != old)
        #expect(directory.registration(of: old)?.unregisteredAtMilliseconds == nil)
        #expect(directory.number(of: token) == 2)
        let push = try Handheld.push(1)
        #expect(accept(push, old) == [.send(push, 1)])
    }

    @Test mutating func `two apps of one certificate are one device with two tokens`() throws {
        let other = try Topic("com.example.other")
        let one = try connect(1, owner: ann).token
        let two = try connect(2, owner: ann, topic: other).token
        #expect(one != two)
        #expect(directory.number(of: one) == 1 && directory.number(of: two) == 1)
        let push = try Handheld.push(1)
        #expect(accept(push, one) == [.send(push, 1)])
        #expect(accept(push, two) == [.send(push, 2)])
    }

    @Test mutating func `the number of tokens is bounded, those of reinstalled apps included`() throws {
        var token = try connect(1).token
        for connection in 2...4 { token = try connect(connection, token, .reinstalled).token }
        #expect(throws: DeviceError(refusal: .tooManyDevices)) { try connect(5, token, .reinstalled) }
        #expect(throws: DeviceError(refusal: .tooManyDevices)) { try connect(5) }
        #expect(try connect(6, token).token == token)
    }

    @Test mutating func `an app that is gone is unregistered until it comes back`() throws {
        let token = try connect(1).token
        _ = directory.disconnect(1, at: Self.now)
        let push = try Handheld.push(1)
        _ = accept(push, token)
        let discarded = DeliveryEvent.discarded(push.id, .tokenInactive, device: 1)
        #expect(directory.unregister(token, atMilliseconds: 5) == [.happened(discarded)])
        #expect(directory.registration(of: token)?.unregisteredAtMilliseconds == 5)
        #expect(directory.report(on: token)?.status == .unregistered(atMilliseconds: 5))
        #expect(try connect(2, token).effects == [.happened(.connected(device: 1))])
        #expect(directory.registration(of: token)?.unregisteredAtMilliseconds == nil)
    }

    @Test mutating func `a delivery to an app that is gone unregisters its token and tells of it once`() throws {
        let token = try connect(1).token
        #expect(directory.change(1, to: .appRemoved, at: Self.now) == [])
        #expect(directory.registration(of: token)?.unregisteredAtMilliseconds == nil)
        let (one, two) = (try Handheld.push(1), try Handheld.push(2))
        #expect(
            accept(one, token) == [
                .happened(.discarded(one.id, .appRemoved, device: 1)),
                .appIsGone(token, bundleID: chat, atMilliseconds: Self.now),
            ]
        )
        #expect(directory.registration(of: token)?.unregisteredAtMilliseconds == Self.now)
        #expect(accept(two, token) == [.happened(.discarded(two.id, .appRemoved, device: 1))])
    }

    @Test mutating func `a push to nobody does nothing`() throws {
        let unknown = try DeviceToken(bytes: [UInt8](repeating: 9, count: 32))
        #expect(accept(try Handheld.push(1), unknown) == [])
        #expect(directory.isTooFrequent(unknown, at: Self.now) == false)
        #expect(directory.unregister(unknown, atMilliseconds: 5) == [])
    }

    @Test func `a token that was opened before is known again, also where two share a place`() throws {
        var directory = DeviceDirectory(mint: mint)
        let tokens = try (0..<6000 as Range<UInt32>).map { try directory.enrol(chat, salt: $0) }
        for _ in 0..<2 {
            for (index, token) in tokens.enumerated() {
                #expect(directory.number(of: token) == index + 1)
            }
        }
    }
}

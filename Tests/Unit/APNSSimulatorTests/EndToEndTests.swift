import APNS
import APNSProvider
import DeviceLink
import HTTP
import Networking
import Primitives
import TestCertificates
import TestSupport
import Testing

@testable import APNSSimulator

struct EndToEndTests {
    @Test func `a push goes from the provider to the device, byte for byte`() async throws {
        let site = try await Site()
        let device = try await site.device()
        #expect(device.deviceToken.bytes.count == 32)
        let client = try site.client()
        var sent = site.notification(1, to: device.deviceToken)
        sent.collapseID = try CollapseID("news")
        sent.expiration = Expiration(unixSeconds: UInt64(Site.start) + 60)
        let response = try await client.send(sent)
        #expect(response.id == sent.id && response.status == 200 && response.outcome == .accepted)
        let push = try #require(try await device.next())
        #expect(
            push
                == DevicePush(
                    id: sent.id,
                    topic: site.topic,
                    pushType: .alert,
                    priority: .immediate,
                    expiration: sent.expiration,
                    collapseID: sent.collapseID,
                    payload: sent.payload
                )
        )
        device.acknowledge(push)
        _ = await site.events.first(3)
        #expect(site.deliveries == [.connected(device: 1), .delivered(sent.id, device: 1)])
        await client.close()
        await site.simulator.close()
    }

    @Test func `what the simulator saw is exactly what was sent, without the provider token`() async throws {
        let site = try await Site()
        let device = try await site.device()
        let client = try site.client()
        let sent = site.notification(2, to: device.deviceToken)
        _ = try await client.send(sent)
        guard case .accepted(let received, device: 1) = await site.events.first(2)[1] else {
            Issue.record("not accepted")
            return
        }
        let fields = received.headers.map { field in
            (String(decoding: field.name, as: UTF8.self), String(decoding: field.value, as: UTF8.self))
        }
        let expected = [
            (":method", "POST"), (":scheme", "https"), (":authority", "127.0.0.1:\(site.simulator.pushPort)"),
            (":path", "/3/device/\(device.deviceToken.hex)"), ("authorization", "(withheld)"),
            ("apns-id", sent.id.description), ("apns-push-type", "alert"), ("apns-topic", "com.example.chat"),
            ("apns-priority", "10"),
        ]
        #expect(fields.map(\.0) == expected.map(\.0))
        #expect(fields.map(\.1) == expected.map(\.1))
        #expect(received.payload == sent.payload)
        #expect(received.payloadByteCount == sent.payload.count)
        #expect(!"\(received)".contains(device.deviceToken.hex))
        await client.close()
        await site.simulator.close()
    }

    @Test(arguments: [true, false])
    func `a thousand pushes at once all arrive, also when the connection starts with one stream`(
        _ startsWithOneStream: Bool
    ) async throws {
        let site = try await Site(startsWithOneStream: startsWithOneStream)
        let device = try await site.device()
        let client = try site.client()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<1000 {
                var notification = site.notification(0, to: device.deviceToken)
                notification.id = APNSID(
                    randomBytes: [UInt8(number >> 8), UInt8(number & 0xFF)] + [UInt8](repeating: 0, count: 14)
                )
                let sent = notification
                group.addTask { try await client.send(sent).status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses == [Int](repeating: 200, count: 1000))
        await client.close()
        await site.simulator.close()
    }

    @Test func `a connection has one stream until the first push was accepted, then a thousand`() async throws {
        let site = try await Site()
        let device = try await site.device()
        let events = Recorder<APNSClientEvent>()
        let client = try site.client(observer: events)
        let nobody = try DeviceToken(bytes: [UInt8](repeating: 0xCD, count: 32))
        #expect(try await client.send(site.notification(1, to: nobody)).status == 400)
        #expect(events.streamLimits == [1])
        #expect(try await client.send(site.notification(2, to: device.deviceToken)).status == 200)
        _ = await events.first(6)
        #expect(events.streamLimits == [1, 1000])
        await client.close()
        await site.simulator.close()
    }

    @Test func `a port where nobody listens is refused, and the error says so`() async throws {
        let site = try await Site()
        let port = try HeldPort.deaf()
        let client = try site.client(port: port.number)
        let refused = SendError(cause: .connection(.connectionRefused), attemptCount: 0)
        let token = try DeviceToken(bytes: [1])
        await #expect(throws: ProviderError.notProcessed(refused)) {
            try await client.send(site.notification(1, to: token))
        }
        await client.close()
        await #expect(throws: DeviceLinkError.transport(.connectionRefused)) {
            _ = try await site.device(port: port.number)
        }
    }

    @Test func `refusals come back as Apple's reasons, and the connection goes on`() async throws {
        let site = try await Site()
        let device = try await site.device()
        let client = try site.client()
        let nobody = try DeviceToken(bytes: [UInt8](repeating: 0xCD, count: 32))
        let unknown = try await client.send(site.notification(3, to: nobody))
        #expect(unknown.status == 400 && unknown.reason == .badDeviceToken)
        #expect(unknown.id == site.notification(3, to: nobody).id)
        var misdirected = site.notification(4, to: device.deviceToken)
        misdirected.topic = try Topic("com.example.other")
        let other = try await client.send(misdirected)
        #expect(other.status == 400 && other.reason == .deviceTokenNotForTopic)
        await site.simulator.unregister(device.deviceToken)
        let gone = try await client.send(site.notification(5, to: device.deviceToken))
        #expect(gone.status == 410)
        #expect(gone.outcome == .rejected(RejectionBody(.unregistered, timestampMilliseconds: Site.start * 1000)))
        let again = try await site.device(earlierToken: device.deviceToken)
        #expect(again.deviceToken == device.deviceToken)
        #expect(try await client.send(site.notification(6, to: device.deviceToken)).status == 200)
        await client.close()
        await site.simulator.close()
    }

    @Test func `a body that is too large never reaches Apple from our client, and gets 413 from anyone else's`()
        async throws
    {
        let site = try await Site()
        let device = try await site.device()
        let client = try site.client()
        var large = site.notification(7, to: device.deviceToken)
        large.payload = [UInt8](repeating: 0x20, count: 4097)
        await #expect(throws: ProviderError.notSendable(.payloadTooLarge(byteCount: 4097, byteCountMax: 4096))) {
            try await client.send(large)
        }
        let raw = try await site.rawConnection()
        var request = try Request()
        request[":path"] = "/3/device/\(device.deviceToken.hex)"
        for byteCount in [4097, 5121, 100_000] {
            let response = try await raw.send(
                HTTP2Request(headers: request.headers, body: [UInt8](repeating: 0x20, count: byteCount))
            )
            #expect(response.status == 413, "\(byteCount) bytes")
            #expect(response.body == Array(#"{"reason":"PayloadTooLarge"}"#.utf8))
            #expect(response.headers["content-type"].map(Array.init) == Array("application/json".utf8))
        }
        await raw.close()
        await client.close()
        await site.simulator.close()
    }

    @Test func `a duplicate header is seen through HTTP-2 and HPACK`() async throws {
        let site = try await Site()
        let raw = try await site.rawConnection()
        var request = try Request()
        request.fields.append(("apns-topic", "com.example.chat"))
        let response = try await raw.send(HTTP2Request(headers: request.headers, body: [0x7B, 0x7D]))
        #expect(response.status == 400)
        #expect(response.body == Array(#"{"reason":"DuplicateHeaders"}"#.utf8))
        await raw.close()
        await site.simulator.close()
    }

    @Test func `with somebody else's key every push is refused`() async throws {
        let site = try await Site()
        let device = try await site.device()
        let stolen = ProviderTokenSource(
            key: try ThrowawayKeys.second(),
            keyID: try KeyID("ABC123DEFG"),
            teamID: try TeamID("DEF123GHIJ")
        )
        let client = try site.client(tokens: stolen)
        let response = try await client.send(site.notification(8, to: device.deviceToken))
        #expect(response.status == 403 && response.reason == .invalidProviderToken)
        await #expect(throws: ProviderError.suspended(.invalidProviderToken)) {
            try await client.send(site.notification(9, to: device.deviceToken))
        }
        await client.close()
        await site.simulator.close()
    }

    @Test func `over hours the client's token is never too old and never renewed too often`() async throws {
        let site = try await Site()
        let device = try await site.device()
        let client = try site.client()
        for step in 0..<60 {
            let response = try await client.send(site.notification(UInt8(step), to: device.deviceToken))
            #expect(response.status == 200, "after \(step * 5) minutes: \(String(describing: response.reason))")
            let push = try #require(try await device.next())
            device.acknowledge(push)
            site.advance(5 * 60)
        }
        await client.close()
        await site.simulator.close()
    }

    @Test func `a device that was away gets the newest push when it comes back`() async throws {
        let site = try await Site()
        let client = try site.client()
        var token: DeviceToken
        do {
            let device = try await site.device()
            token = device.deviceToken
            device.close()
            #expect(try await device.next() == nil)
        }
        _ = await site.events.first(2)
        for number in [UInt8(1), 2, 3] {
            #expect(try await client.send(site.notification(number, to: token)).status == 200)
        }
        var fleeting = site.notification(4, to: token)
        fleeting.expiration = .oneAttempt
        #expect(try await client.send(fleeting).status == 200)
        let device = try await site.device(earlierToken: token)
        #expect(device.deviceToken == token)
        let push = try #require(try await device.next())
        #expect(push.payload == site.notification(3, to: token).payload)
        await client.close()
        await site.simulator.close()
    }

    @Test func `a push that was not acknowledged comes again`() async throws {
        let site = try await Site()
        let client = try site.client()
        let device = try await site.device()
        #expect(try await client.send(site.notification(1, to: device.deviceToken)).status == 200)
        let first = try #require(try await device.next())
        device.close()
        let again = try await site.device(earlierToken: device.deviceToken)
        #expect(try await again.next() == first)
        await client.close()
        await site.simulator.close()
    }

    @Test func `a token of another app is refused, and says so`() async throws {
        let site = try await Site()
        let device = try await site.device()
        let other = try Topic("com.example.other")
        await #expect(throws: DeviceLinkError.refused(.tokenOfAnotherTopic)) {
            _ = try await site.device(topic: other, earlierToken: device.deviceToken)
        }
        await site.simulator.close()
    }

    @Test func `a device's next ends with the simulator, and for a cancelled task`() async throws {
        let site = try await Site()
        let cancelled = try await site.device()
        let task = Task { () async throws(DeviceLinkError) in try await cancelled.next() }
        task.cancel()
        await #expect(throws: DeviceLinkError.transport(.cancelled)) { try await task.value }
        let device = try await site.device()
        await site.simulator.close()
        #expect(try await device.next() == nil)
    }

    @Test func `a push port in use is named, and the device port is free again`() async throws {
        let site = try await Site()
        let authority = try TestAuthority()
        let server = try authority.issue()
        let identity = try unsafe SimulatorIdentity(
            certificateChainPEM: server.certificatePEM,
            privateKeyPEM: server.privateKeyPEM.span.bytes
        )
        var configuration = SimulatorConfiguration(keys: [])
        configuration.pushPort = site.simulator.pushPort
        let taken = configuration
        await #expect(throws: TransportError.addressInUse(port: taken.pushPort)) {
            _ = try await Simulator.start(taken, identity: identity, loop: site.simulatorLoop)
        }
        configuration.pushPort = 0
        configuration.devicePort = site.simulator.devicePort
        let second = configuration
        await #expect(throws: TransportError.addressInUse(port: second.devicePort)) {
            _ = try await Simulator.start(second, identity: identity, loop: site.simulatorLoop)
        }
        await site.simulator.close()
    }
}

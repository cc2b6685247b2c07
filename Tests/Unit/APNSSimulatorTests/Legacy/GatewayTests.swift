import APNS
import APNSProvider
import DeviceLink
import Networking
import Testing

@testable import APNSSimulator

/// The binary gateway and the feedback service with our own client, over mutual TLS.
struct GatewayTests {
    private static func notification(
        _ token: DeviceToken,
        _ payload: String = #"{"aps":{"alert":"hi"}}"#,
        expiresAt: UInt32 = 0,
        priority: Priority = .immediate
    ) -> LegacyNotification {
        LegacyNotification(
            expiresAt: expiresAt,
            priority: priority,
            deviceToken: token,
            payload: Array(payload.utf8)
        )
    }

    private static func unknownToken() throws -> DeviceToken {
        try DeviceToken(bytes: [UInt8](repeating: 9, count: 32))
    }

    private static func pushes(_ count: Int, _ device: DeviceConnection) async throws -> [DevicePush] {
        var pushes: [DevicePush] = []
        while pushes.count < count, let push = try await device.next() {
            pushes.append(push)
            device.acknowledge(push)
        }
        return pushes
    }

    @Test(arguments: LegacyCommand.allCases)
    func `a notification of each layout reaches its device`(_ command: LegacyCommand) async throws {
        let site = try await ServiceSite()
        let device = try await site.device()
        let later = UInt32(ServiceSite.start) + 60
        let outcomes = try await site.gateway(command).deliver([
            Self.notification(device.deviceToken, expiresAt: later),
            Self.notification(device.deviceToken, #"{"aps":{"badge":1}}"#, priority: .powerAware),
        ])
        #expect(outcomes.allSatisfy { $0 == (command == .simple ? .written : .accepted) })
        let pushes = try await Self.pushes(2, device)
        #expect(pushes.map(\.topic) == [site.app, site.app] && pushes.map(\.pushType) == [.alert, .alert])
        #expect(
            pushes.map { String(decoding: $0.payload, as: UTF8.self) }
                == [#"{"aps":{"alert":"hi"}}"#, #"{"aps":{"badge":1}}"#]
        )
        let expirations: [Expiration?] =
            command == .simple ? [nil, nil] : [Expiration(unixSeconds: UInt64(later)), .oneAttempt]
        #expect(pushes.map(\.expiration) == expirations)
        #expect(pushes.map(\.priority) == [.immediate, command == .frame ? .powerAware : .immediate])
        await site.simulator.close()
    }

    @Test(arguments: [LegacyCommand.enhanced, .frame])
    func `a bad token in a batch is named, and what came after it is sent again`(_ command: LegacyCommand) async throws
    {
        let site = try await ServiceSite()
        let (device, other) = (try await site.device(), try await site.device(of: Topic("com.example.other")))
        let (good, foreign) = (device.deviceToken, other.deviceToken)
        let tokens = [good, try Self.unknownToken(), good, foreign, good]
        let outcomes = try await site.gateway(command).deliver(tokens.map { Self.notification($0) })
        let refused = LegacyOutcome.refused(.invalidToken)
        #expect(outcomes == [.accepted, refused, .accepted, refused, .accepted])
        #expect(try await Self.pushes(3, device).count == 3)
        await site.simulator.close()
    }

    @Test func `the simple layout's mistakes cut the connection without a word`() async throws {
        let site = try await ServiceSite()
        let client = try await GatewayClient.connect(to: site)
        var bytes: [UInt8] = []
        try Self.notification(try Self.unknownToken()).append(to: &bytes, as: .simple)
        await client.send(bytes)
        let end = await client.end()
        #expect(end.bytes == [] && end.error != nil, "not even a goodbye")
        #expect(site.legacyEvents == [.ended(nil)])
        await site.simulator.close()
    }

    /// Statuses that only a certificate, a payload or the service itself can cause.
    @Test func `each status is the answer to its mistake, and the rest come on request`() async throws {
        let site = try await ServiceSite()
        let device = try await site.device()
        let good = Self.notification(device.deviceToken)
        func refusal(_ notification: LegacyNotification, as name: String) async throws -> LegacyOutcome? {
            try await site.gateway(as: name).deliver([notification]).first
        }
        let chat = "com.example.chat"
        #expect(try await refusal(good, as: "") == .refused(.missingTopic))
        #expect(try await refusal(good, as: "com.exämple") == .refused(.invalidTopicSize))
        #expect(try await refusal(good, as: "com.example.other") == .refused(.invalidToken))
        let silent = #"{"aps":{"content-available":1}}"#
        #expect(
            try await refusal(Self.notification(device.deviceToken, silent), as: chat) == .refused(.processingError)
        )
        for raw in [0, 1, 2, 3, 4, 5, 6, 7, 8, 128, 255] as [UInt8] {
            let status = LegacyStatus(rawValue: raw)
            await site.simulator.refuseNextLegacyNotification(status)
            #expect(try await refusal(good, as: chat) == .refused(status))
        }
        #expect(try await refusal(good, as: chat) == .accepted)
        let background = Self.notification(device.deviceToken, silent, priority: .powerAware)
        #expect(try await refusal(background, as: chat) == .accepted)
        #expect(try await Self.pushes(2, device).map(\.pushType) == [.alert, .background])
        await site.simulator.close()
    }

    /// Bytes that our own client does not write, each after one good notification.
    @Test func `a mistake in the bytes is told with its status, and the good one before it was taken`() async throws {
        let site = try await ServiceSite()
        let device = try await site.device()
        let token = device.deviceToken.bytes
        let (payload, identifier) = ([2, 0, 2, 0x7B, 0x7D] as [UInt8], [3, 0, 4, 0, 0, 0, 9] as [UInt8])
        let tokenItem = [1, UInt8(token.count >> 8), UInt8(token.count & 0xFF)] + token
        func frame(_ items: [UInt8]...) -> [UInt8] {
            let joined = items.flatMap(\.self)
            return [2, 0, 0, UInt8(joined.count >> 8), UInt8(joined.count & 0xFF)] + joined
        }
        let long = [UInt8](repeating: 0x20, count: 2049)
        let cases: [([UInt8], UInt8, UInt8)] = [
            (frame(identifier, payload), 2, 9), (frame(identifier, tokenItem), 4, 9),
            (frame(identifier, [1, 0, 101] + long.prefix(101), payload), 5, 9),
            (frame(identifier, tokenItem, [2, 8, 1] + long), 7, 9),
            (frame(identifier, tokenItem, tokenItem, payload), 128, 9), (frame(identifier, [6, 0, 0]), 128, 9),
            (frame(identifier, [1, 0, 200]), 128, 9), ([3], 128, 0), ([2, 0, 1, 0, 0], 128, 0),
            ([1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 1, 7, 1, 1], 7, 9), ([1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0], 5, 9),
        ]
        var good: [UInt8] = []
        try Self.notification(device.deviceToken).append(to: &good, as: .frame)
        for (index, (bytes, status, identifier)) in cases.enumerated() {
            let client = try await GatewayClient.connect(to: site)
            await client.send(good + bytes)
            let end = await client.end()
            #expect(end.bytes == [8, status, 0, 0, 0, identifier] && end.error == nil, "case \(index)")
            #expect(try await Self.pushes(1, device).count == 1)
        }
        await site.simulator.close()
    }

    /// Apple's refusals of notifications that each layout can carry.
    @Test func `a payload that is no JSON object and a token of another length are refused`() async throws {
        let site = try await ServiceSite()
        let device = try await site.device()
        let short = try DeviceToken(bytes: Array(device.deviceToken.bytes.dropLast()))
        let long = try DeviceToken(bytes: device.deviceToken.bytes + [0])
        let refused: [(LegacyNotification, LegacyStatus)] =
            ["{", "[]", "1", "{}}", "\u{FEFF}{}"].map {
                (Self.notification(device.deviceToken, $0), .processingError)
            } + [short, long].map { (Self.notification($0), .invalidTokenSize) }
        for (notification, status) in refused {
            for command in [LegacyCommand.enhanced, .frame] {
                #expect(try await site.gateway(command).deliver([notification]) == [.refused(status)])
            }
            let client = try await GatewayClient.connect(to: site)
            var bytes: [UInt8] = []
            try notification.append(to: &bytes, as: .simple)
            await client.send(bytes)
            let end = await client.end()
            #expect(end.bytes == [] && end.error != nil, "the simple layout says nothing")
        }
        let good = Self.notification(device.deviceToken)
        #expect(try await site.gateway().deliver([good]) == [.accepted])
        #expect(try await Self.pushes(1, device).map(\.payload) == [good.payload], "none of the others came")
        await site.simulator.close()
    }

    @Test func `a setting says what priority 10 with content-available alone gets`() async throws {
        for status in [0, 255] as [UInt8] {
            let site = try await ServiceSite { $0.legacy.contentAvailableStatus = status }
            let device = try await site.device()
            let silent = Self.notification(device.deviceToken, #"{"aps":{"content-available":1}}"#)
            let outcomes = try await site.gateway().deliver([silent])
            #expect(outcomes == [status == 0 ? .accepted : .refused(.none)])
            await site.simulator.close()
        }
    }

    @Test func `a shutdown names the last that was taken, and the client goes on elsewhere`() async throws {
        let site = try await ServiceSite()
        let device = try await site.device()
        let client = try await GatewayClient.connect(to: site)
        var bytes: [UInt8] = []
        for identifier in 1...3 as ClosedRange<UInt32> {
            var notification = Self.notification(device.deviceToken)
            notification.identifier = identifier
            try notification.append(to: &bytes, as: .frame)
        }
        await client.send(bytes)
        #expect(try await Self.pushes(3, device).count == 3)
        await site.simulator.shutDownGatewayConnections()
        let end = await client.end()
        #expect(end.bytes == LegacyErrorPacket(status: .shutdown, identifier: 3).bytes && end.error == nil)
        #expect(try await site.gateway().deliver([Self.notification(device.deviceToken)]) == [.accepted])
        await site.simulator.close()
    }

    @Test func `the simulator's own end is a shutdown too`() async throws {
        let site = try await ServiceSite()
        let device = try await site.device()
        let client = try await GatewayClient.connect(to: site)
        var (bytes, notification) = ([UInt8](), Self.notification(device.deviceToken))
        notification.identifier = 77
        try notification.append(to: &bytes, as: .enhanced)
        await client.send(bytes)
        #expect(try await Self.pushes(1, device).count == 1)
        await site.simulator.close()
        #expect(await client.end().bytes == [8, 10, 0, 0, 0, 77])
    }

    /// A plain close with unread bytes would reset the connection, and the client's machine would lose the packet.
    @Test func `the packet arrives though the client goes on sending, and all of that is discarded`() async throws {
        let site = try await ServiceSite { $0.legacy.drain = nil }
        let device = try await site.device()
        let client = try await GatewayClient.connect(to: site)
        var (bad, good) = ([UInt8](), [UInt8]())
        var notification = Self.notification(try Self.unknownToken())
        notification.identifier = 5
        try notification.append(to: &bad, as: .frame)
        try Self.notification(device.deviceToken).append(to: &good, as: .frame)
        // More than both sockets hold, so that the rest leaves only if the gateway reads it.
        let rest = [[UInt8]](repeating: good, count: 12_000).flatMap(\.self)
        await client.send(bad + rest)
        let end = await client.end()
        #expect(end.bytes == [8, 8, 0, 0, 0, 5])
        #expect(site.legacyEvents == [.ended(LegacyErrorPacket(status: .invalidToken, identifier: 5))])
        await site.simulator.close()
    }

    @Test func `who shows no certificate, or one of a stranger, gets no further than the handshake`() async throws {
        let site = try await ServiceSite()
        let stranger = try await ServiceSite()
        let foreign = LegacyGateway(
            service: LegacyService(host: "127.0.0.1", port: site.simulator.gatewayPort ?? 0),
            context: try .client(
                trust: .pem(site.authorityPEM),
                alpn: [],
                identity: stranger.identity("com.example.chat")
            ),
            loop: site.clientLoop,
            limits: ServiceSite.patient
        )
        let anonymous = LegacyGateway(
            service: LegacyService(host: "127.0.0.1", port: site.simulator.gatewayPort ?? 0),
            context: try site.legacyContext(nil),
            loop: site.clientLoop,
            limits: ServiceSite.patient
        )
        for gateway in [foreign, anonymous] {
            let outcome = try #require(await gateway.deliver([Self.notification(try Self.unknownToken())]).first)
            switch outcome {
            case .unknown, .notSent: break
            default: Issue.record("\(outcome)")
            }
        }
        #expect(site.legacyEvents == [])
        #expect(try await site.feedback(as: nil).failure != nil)
        await site.simulator.close()
        await stranger.simulator.close()
    }

    @Test func `a client that says nothing is cut off, and its place is free again`() async throws {
        let site = try await ServiceSite {
            $0.legacy.idle = .milliseconds(20)
            $0.legacy.connectionCountMax = 1
        }
        for _ in 0..<3 {
            let client = try await GatewayClient.connect(to: site)
            #expect(await client.end().bytes == [])
            // The listener counts a connection until the turn after its end, which is in the queue by the second of
            // these.
            for _ in 0..<2 { await site.simulatorLoop.run {} }
        }
        await site.simulator.close()
    }

    @Test func `who comes when the gateway is full is shown out`() async throws {
        let site = try await ServiceSite { $0.legacy.connectionCountMax = 1 }
        let device = try await site.device()
        let client = try await GatewayClient.connect(to: site)
        await #expect(throws: TransportError.self) { _ = try await GatewayClient.connect(to: site) }
        var bytes: [UInt8] = []
        try Self.notification(device.deviceToken).append(to: &bytes, as: .frame)
        await client.send(bytes)
        #expect(try await Self.pushes(1, device).count == 1, "the first goes on")
        await site.simulator.close()
        _ = await client.end()
    }

    @Test func `a port that nobody asked for is not open, and without an authority none can be`() async throws {
        let site = try await ServiceSite { ($0.gatewayPort, $0.feedbackPort) = (nil, nil) }
        #expect(site.simulator.gatewayPort == nil && site.simulator.feedbackPort == nil)
        await site.simulator.close()
        let plain = try await Site()
        #expect(plain.simulator.gatewayPort == nil && plain.simulator.channelPort == nil)
        await plain.simulator.close()
    }
}

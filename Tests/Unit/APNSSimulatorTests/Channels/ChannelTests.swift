import APNS
import APNSProvider
import DeviceLink
import HTTP
import Networking
import Testing

@testable import APNSSimulator

/// Channels with our own client and simulated devices, over TLS.
struct ChannelTests {
    private static let payload = Array(#"{"aps":{"event":"update","timestamp":1,"content-state":{}}}"#.utf8)
    private static let later = Expiration(unixSeconds: UInt64(ServiceSite.start) + 3600)

    private static func channel(
        _ client: BroadcastClient,
        of app: Topic,
        _ policy: ChannelStoragePolicy
    ) async throws -> ChannelID {
        let made = try await client.send(try .createChannel(of: app, policy: policy))
        guard case .created(let id) = made.outcome else { throw ChannelMissing(text: "\(made.outcome)") }
        return id
    }

    private struct ChannelMissing: Error { let text: String }

    @Test func `a channel is made, read, listed, sent to and removed by our own client`() async throws {
        let site = try await ServiceSite()
        let client = try site.broadcastClient()
        let requestID = APNSID()
        let made = try await client.send(
            try .createChannel(of: site.app, policy: .mostRecent, requestID: requestID)
        )
        #expect(made.status == 201 && made.requestID == requestID)
        guard case .created(let id) = made.outcome else { throw ChannelMissing(text: "\(made.outcome)") }
        #expect(id.isApples && id.bytes.count == 24)
        let second = try await Self.channel(client, of: site.app, .none)
        #expect(try await client.send(try .readChannel(id, of: site.app)).outcome == .channel(.mostRecent))
        #expect(try await client.send(try .readChannel(second, of: site.app)).outcome == .channel(.none))
        #expect(try await client.send(try .listChannels(of: site.app)).outcome == .channels([id, second]))
        let sent = try await client.send(
            try .send(Self.payload, to: id, of: site.app, policy: .mostRecent, expiration: Self.later)
        )
        #expect(sent.outcome == .sent && sent.uniqueID?.utf8.count == 36 && sent.requestID != nil)
        let gone = try await client.send(try .deleteChannel(id, of: site.app))
        #expect(gone.status == 204 && gone.outcome == .deleted)
        #expect(try await client.send(try .listChannels(of: site.app)).outcome == .channels([second]))
        let again = try await client.send(try .deleteChannel(id, of: site.app))
        #expect(again.outcome == .rejected(reason: .channelNotRegistered, text: "ChannelNotRegistered"))
        await client.close()
        await site.simulator.close()
    }

    @Test func `an answer echoes the request's id, or has one of the server's in upper case`() async throws {
        let site = try await ServiceSite()
        let named = try await ChannelCall.list().with("apns-request-id", Request.id).response(from: site)
        #expect(named.text(of: "apns-request-id") == Request.id)
        let unnamed = try #require(try await ChannelCall.list().response(from: site).text(of: "apns-request-id"))
        #expect(unnamed.uppercased() == unnamed && APNSID(unnamed) != nil)
        #expect(
            String(decoding: try await ChannelCall.list().response(from: site).body, as: UTF8.self)
                == #"{"channels":[]}"#
        )
        await site.simulator.close()
    }

    @Test func `a channel of one environment is unknown in the other`() async throws {
        let (sandbox, production) = (try await ServiceSite(), try await ServiceSite { $0.environment = .production })
        let client = try sandbox.broadcastClient()
        let id = try await Self.channel(client, of: sandbox.app, .none)
        let response = try await ChannelCall.read(id).response(from: production)
        #expect(response.broadcastReason == .channelNotRegistered)
        await client.close()
        await sandbox.simulator.close()
        await production.simulator.close()
    }

    @Test func `a broadcast reaches the devices that listen, and nobody else`() async throws {
        let site = try await ServiceSite()
        let client = try site.broadcastClient()
        let id = try await Self.channel(client, of: site.app, .none)
        let other = try await Self.channel(client, of: site.app, .none)
        let devices = [try await site.device(), try await site.device(), try await site.device()]
        #expect(try await devices[0].subscribe(to: id, of: site.app) == .active)
        #expect(try await devices[1].subscribe(to: id, of: site.app) == .active)
        #expect(try await devices[2].subscribe(to: other, of: site.app) == .active)
        let sent = try await client.send(
            try .send(Self.payload, to: id, of: site.app, policy: .none, priority: .powerAware)
        )
        for device in devices[0...1] {
            let push = try #require(try await device.next())
            #expect(push.payload == Self.payload && push.pushType == .liveactivity && push.priority == .powerAware)
            #expect(push.topic.description == "com.example.chat.push-type.liveactivity")
            #expect(push.expiration == .oneAttempt && APNSID(sent.uniqueID ?? "") == push.id)
            device.acknowledge(push)
        }
        // The third device's first message is that of its own channel.
        let end = Array(#"{"aps":{"event":"end"}}"#.utf8)
        _ = try await client.send(try .send(end, to: other, of: site.app, policy: .none))
        let push = try #require(try await devices[2].next())
        #expect(push.payload == end)
        devices[2].acknowledge(push)
        await site.wait(for: 3) { if case .channel(.delivered) = $0 { true } else { false } }
        let metrics = try #require(await site.simulator.metrics(of: id, of: site.app))
        #expect(metrics.publishedCount == 1 && metrics.deliveredCount == 2)
        #expect(metrics.subscriptionCount == 2 && metrics.subscriberCount == 2)
        let all = await site.simulator.channelMetrics(of: site.app)
        #expect(all.publishedCount == 2 && all.deliveredCount == 3 && all.subscriberCount == 3)
        await client.close()
        await site.simulator.close()
    }

    @Test func `who comes back gets the channel's newest message, once`() async throws {
        let site = try await ServiceSite()
        let client = try site.broadcastClient()
        let id = try await Self.channel(client, of: site.app, .mostRecent)
        let first = try await site.device()
        #expect(try await first.subscribe(to: id, of: site.app) == .active)
        first.close()
        await site.wait { if case .delivery(.disconnected) = $0 { true } else { false } }
        for text in ["old", "new"] {
            let payload = Array(#"{"aps":{"event":"update"},"x":"\#(text)"}"#.utf8)
            _ = try await client.send(
                try .send(payload, to: id, of: site.app, policy: .mostRecent, expiration: Self.later)
            )
        }
        let reached = site.channelEvents.compactMap { if case .published(_, _, let count) = $0 { count } else { nil } }
        #expect(reached == [0, 0], "nobody was there")
        let back = try await site.device(earlierToken: first.deviceToken)
        let push = try #require(try await back.next())
        #expect(push.payload == Array(#"{"aps":{"event":"update"},"x":"new"}"#.utf8))
        back.acknowledge(push)
        // A later subscription is answered after everything that the simulator has sent.
        #expect(try await back.subscribe(to: id, of: site.app) == .active)
        #expect(try await back.unsubscribe(from: id, of: site.app) == .none)
        back.close()
        #expect(try await back.next() == nil, "nothing came twice")
        await client.close()
        await site.simulator.close()
    }

    @Test func `a device is told when there is no such channel, and when it listens to enough`() async throws {
        let site = try await ServiceSite { $0.channels.subscriptionCountMax = 1 }
        let client = try site.broadcastClient()
        let (id, other) = (
            try await Self.channel(client, of: site.app, .none), try await Self.channel(client, of: site.app, .none)
        )
        let device = try await site.device()
        #expect(try await device.subscribe(to: ChannelID("nonsense"), of: site.app) == .channelUnknown)
        #expect(try await device.subscribe(to: id, of: Topic("com.example.other")) == .channelUnknown)
        #expect(try await device.subscribe(to: id, of: site.app) == .active)
        #expect(try await device.subscribe(to: other, of: site.app) == .tooMany)
        #expect(try await device.unsubscribe(from: id, of: site.app) == .none)
        #expect(try await device.subscribe(to: other, of: site.app) == .active)
        await site.simulator.unregister(device.deviceToken)
        #expect(await site.simulator.metrics(of: other, of: site.app)?.subscriberCount == 0)
        device.close()
        await #expect(throws: DeviceLinkError.self) { try await device.subscribe(to: id, of: site.app) }
        await client.close()
        await site.simulator.close()
    }

    @Test func `taking the capability away takes every channel`() async throws {
        let site = try await ServiceSite()
        let client = try site.broadcastClient()
        let id = try await Self.channel(client, of: site.app, .none)
        await site.simulator.setBroadcastCapability(of: site.app, isOn: false)
        #expect(try await ChannelCall.read(id).response(from: site).broadcastReason == .featureNotEnabled)
        await site.simulator.setBroadcastCapability(of: site.app, isOn: true)
        #expect(try await client.send(try .listChannels(of: site.app)).outcome == .channels([]))
        #expect(site.channelEvents == [.created(channel: 1), .deleted(channel: 1), .refused(.featureNotEnabled)])
        await client.close()
        await site.simulator.close()
    }

    /// The first good broadcast opens a connection as a good push does, and shares its token's limits.
    @Test func `a broadcast and a push are requests of one connection`() async throws {
        let site = try await ServiceSite()
        let client = try site.broadcastClient()
        let id = try await Self.channel(client, of: site.app, .none)
        let connection = try await site.connection(toManagement: false)
        #expect(try await ChannelCall.send(id).response(over: connection).status == 200)
        let other = try Authorization(issuedAt: ServiceSite.start - 1).value
        var push = try Request()
        push["authorization"] = other
        let response = try await connection.send(HTTP2Request(headers: push.headers, body: Array("{}".utf8)))
        #expect(String(decoding: response.body, as: UTF8.self) == #"{"reason":"TooManyProviderTokenUpdates"}"#)
        await connection.close()
        await client.close()
        await site.simulator.close()
    }

    @Test func `a long list comes whole, the oldest channel first`() async throws {
        let site = try await ServiceSite()
        let connection = try await site.connection(toManagement: true)
        let create = try ChannelCall.create()
        var ids: [ChannelID] = []
        for _ in 0..<1_000 {
            let made = try await create.response(over: connection)
            ids.append(try ChannelID(#require(made.text(of: "apns-channel-id"))))
        }
        let client = try site.broadcastClient()
        #expect(try await client.send(try .listChannels(of: site.app)).outcome == .channels(ids))
        #expect(Set(ids).count == ids.count)
        await connection.close()
        await client.close()
        await site.simulator.close()
    }

    @Test func `without a channel port nobody manages channels`() async throws {
        let site = try await ServiceSite { $0.channelPort = nil }
        #expect(site.simulator.channelPort == nil)
        let response = try await ChannelCall.send(ChannelID("AAAAAAAAAAAAAAAAAAAAAA==")).response(from: site)
        #expect(response.broadcastReason == .channelNotRegistered)
        await site.simulator.close()
    }
}

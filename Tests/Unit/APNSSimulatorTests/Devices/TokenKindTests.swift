import APNS
import APNSProvider
import DeviceLink
import Envelope
import HTTP
import Networking
import Testing

@testable import APNSSimulator

struct TokenKindTests {
    static let pushTypes = PushType.allCases.filter { !$0.topicSuffix.isEmpty }

    /// A push of the type to the app's topic for it.
    static func push(_ pushType: PushType, on site: Site, to token: DeviceToken) throws -> PushNotification {
        PushNotification(
            deviceToken: token,
            topic: try site.topic.appendingSuffix(of: pushType),
            pushType: pushType,
            priority: pushType == .background ? .powerAware : .immediate,
            payload: Array(#"{"aps":{"event":"update","timestamp":1,"content-state":{}}}"#.utf8)
        )
    }

    @Test(arguments: pushTypes)
    func `an app's own token is refused for every topic with a suffix`(_ pushType: PushType) async throws {
        let site = try await Site()
        let client = try site.client()
        let token = try await site.device().deviceToken
        let answer = try await client.send(Self.push(pushType, on: site, to: token))
        #expect(answer.status == 400 && answer.reason == .deviceTokenNotForTopic, "\(answer)")
        await client.close()
        await site.simulator.close()
    }

    @Test(arguments: pushTypes)
    func `a token enrolled for a topic with a suffix is good there, and nowhere else`(_ pushType: PushType) async throws
    {
        let site = try await Site()
        let client = try site.client()
        let token = try await site.simulator.enrol(try site.topic.appendingSuffix(of: pushType))
        #expect(try await client.send(Self.push(pushType, on: site, to: token)).status == 200)
        for other in PushType.allCases where other != pushType && other != .mdm {
            let answer = try await client.send(Self.push(other, on: site, to: token))
            #expect(answer.reason == .deviceTokenNotForTopic, "\(other.rawValue): \(answer)")
        }
        await client.close()
        await site.simulator.close()
    }

    @Test func `a setting takes any token of the app, on connections that are open, and no token of another app`()
        async throws
    {
        let control = try await ControlSite()
        let site = control.site
        let client = try site.client()
        let token = try await site.device().deviceToken
        #expect(try await client.send(Self.push(.voip, on: site, to: token)).reason == .deviceTokenNotForTopic)
        let answer = try await control.set("token-of-another-kind", "accept")
        #expect(answer.status == 200, "\(answer)")
        #expect(try await client.send(Self.push(.voip, on: site, to: token)).status == 200)
        let other = try await site.simulator.enrol(try Topic("com.example.other.voip"))
        #expect(try await client.send(Self.push(.voip, on: site, to: other)).reason == .deviceTokenNotForTopic)
        _ = try await control.set("token-of-another-kind", "DeviceTokenNotForTopic")
        #expect(try await client.send(Self.push(.voip, on: site, to: token)).reason == .deviceTokenNotForTopic)
        await client.close()
    }

    @Test func `a device gets pushes of every kind that it registers for, and the same token for the same kind`()
        async throws
    {
        let site = try await Site()
        let client = try site.client()
        let device = try await site.device()
        var tokens: [DeviceToken] = [device.deviceToken]
        for pushType in Self.pushTypes {
            let registration = try #require(TokenRegistration(TokenKind(of: pushType)))
            let token = try await device.register(registration)
            #expect(!tokens.contains(token))
            tokens.append(token)
            #expect(try await device.register(registration) == token)
            #expect(try await client.send(Self.push(pushType, on: site, to: token)).status == 200)
            let push = try #require(try await device.next())
            let topic = try site.topic.appendingSuffix(of: pushType)
            #expect(push.pushType == pushType && push.topic == topic)
            device.acknowledge(push)
        }
        await client.close()
        await site.simulator.close()
    }

    @Test func `a call waits for its device beside an alert, and a device that comes back keeps all of its tokens`()
        async throws
    {
        let site = try await Site()
        let client = try site.client()
        let device = try await site.device()
        let calls = try #require(TokenRegistration(.voip))
        let token = try await device.register(calls)
        device.close()
        #expect(try await device.next() == nil)
        // Connected and disconnected, once each.
        _ = await site.events.first(2)
        #expect(try await client.send(Self.push(.voip, on: site, to: token)).status == 200)
        #expect(try await client.send(site.notification(1, to: device.deviceToken)).status == 200)
        let back = try await site.device(earlierToken: device.deviceToken)
        var types: [PushType] = []
        for _ in 1...2 { types.append(try #require(try await back.next()).pushType) }
        #expect(Set(types) == [.voip, .alert])
        #expect(try await back.register(calls) == token)
        #expect(site.deliveries.filter { $0 == .connected(device: 1) }.count == 2)
        await client.close()
        await site.simulator.close()
    }

    @Test func `each Live Activity has a token, and one that has ended is answered 410`() async throws {
        let site = try await Site()
        let client = try site.client()
        let device = try await site.device()
        let first = try #require(TokenRegistration(.liveActivity, instance: Array("first".utf8)))
        let second = try #require(TokenRegistration(.liveActivity, instance: Array("second".utf8)))
        let tokens = [try await device.register(first), try await device.register(second)]
        #expect(tokens[0] != tokens[1])
        device.unregister(first)
        // This answer comes after it.
        #expect(try await device.register(second) == tokens[1])
        #expect(try await client.send(Self.push(.liveactivity, on: site, to: tokens[0])).reason == .unregistered)
        #expect(try await client.send(Self.push(.liveactivity, on: site, to: tokens[1])).status == 200)
        await client.close()
        await site.simulator.close()
    }

    @Test func `an app that is removed, or installed again, takes its tokens of every kind with it`() async throws {
        let site = try await Site()
        let client = try site.client()
        let calls = try #require(TokenRegistration(.voip))
        let device = try await site.device()
        let token = try await device.register(calls)
        let again = try await site.device(earlierToken: device.deviceToken, arrival: .reinstalled)
        #expect(try await client.send(Self.push(.voip, on: site, to: token)).reason == .unregistered)
        let new = try await again.register(calls)
        #expect(new != token)
        #expect(try await client.send(Self.push(.voip, on: site, to: new)).status == 200)
        await site.simulator.unregister(again.deviceToken)
        #expect(try await client.send(Self.push(.voip, on: site, to: new)).reason == .unregistered)
        await client.close()
        await site.simulator.close()
    }

    @Test func `the control API enrols, lists and checks tokens by their kind`() async throws {
        let control = try await ControlSite()
        let voip = try await control.call("POST /v1/devices", #"{"topic":"com.example.chat.voip"}"#)
        #expect(voip.status == 201 && voip.text("kind") == "voip" && voip.text("topic") == "com.example.chat.voip")
        let start = try await control.call(
            "POST /v1/devices",
            #"{"topic":"com.example.chat","kind":"liveactivity-start"}"#
        )
        #expect(start.text("topic") == "com.example.chat.push-type.liveactivity", "\(start)")
        let widgets = try await control.call("POST /v1/devices/2/tokens", #"{"kind":"widgets","instance":"small"}"#)
        #expect(widgets.status == 201 && widgets.integer("device") == 2, "\(widgets)")
        let check = #"{"token":"\#(widgets.text("token") ?? "")"}"#
        let checked = try await control.call("POST /v1/tokens/check", check)
        #expect(checked.text("kind") == "widgets" && checked.text("topic") == "com.example.chat.push-type.widgets")
        let listed = try #require(try await control.call("GET /v1/devices").json?["devices"]?.elements)
        #expect(listed.compactMap { $0["kind"]?.string } == ["voip", "liveactivity-start", "widgets"])
        for (path, body, status) in [
            ("/v1/devices", #"{"topic":"com.example.chat","kind":"fax"}"#, 400),
            ("/v1/devices/2/tokens", "{}", 400), ("/v1/devices/9/tokens", #"{"kind":"voip"}"#, 404),
            ("/v1/devices/2/tokens", #"{"kind":"voip","instance":"\#(String(repeating: "x", count: 65))"}"#, 400),
        ] {
            let answer = try await control.call("POST \(path)", body)
            #expect(answer.status == status, "\(path) \(body): \(answer)")
        }
    }

    @Test func `an app whose bundle id ends like a suffix is an app, where a key says so`() async throws {
        let app = try Topic("com.example.voip")
        let site = try await Site { configuration in
            let key = configuration.keys[0]
            configuration.keys = [
                SigningKey(id: key.id, team: key.team, publicKey: key.publicKey, bundleIDs: [app])
            ]
        }
        let token = try await site.simulator.enrol(app)
        let connection = try await site.rawConnection()
        var request = try Request()
        request[":path"] = "/3/device/\(token.hex)"
        request["apns-topic"] = "com.example.voip"
        #expect(try await connection.send(HTTP2Request(headers: request.headers, body: [0x7B, 0x7D])).status == 200)
        request["apns-push-type"] = "voip"
        let calls = try await connection.send(HTTP2Request(headers: request.headers, body: [0x7B, 0x7D]))
        #expect(calls.body == RejectionBody(.deviceTokenNotForTopic).json)
        await connection.close()
        await site.simulator.close()
    }
}

extension ControlSite {
    fileprivate func set(_ name: String, _ value: String) async throws -> Answer {
        try await call("POST /v1/settings", #"{"name":"\#(name)","value":"\#(value)"}"#)
    }
}

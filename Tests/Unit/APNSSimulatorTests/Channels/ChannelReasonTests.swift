import APNS
import HTTP
import Networking
import Testing

@testable import APNSSimulator

/// Apple's table of reasons for channels and broadcasts, each provoked by a matching request.
struct ChannelReasonTests {
    private static let none = "com.example.none"
    private static let withoutMember = #"{"push-type":"LiveActivity"}"#

    /// A simulator with two channels, the most that an app may have here, and one app without the capability.
    private struct Stage {
        let site: ServiceSite
        /// A channel that keeps no message.
        let none: ChannelID
        let mostRecent: ChannelID

        init() async throws {
            let (chat, off) = (try Topic(ChannelCall.app), try Topic(ChannelReasonTests.none))
            site = try await ServiceSite(keyedTo: [chat, off]) { configuration in
                configuration.channels.channelCountMax = 2
                configuration.channels.broadcastsPerMinuteMax = 1
                configuration.startsWithOneStream = false
            }
            await site.simulator.setBroadcastCapability(of: off, isOn: false)
            none = try await Self.make(site, policy: 0)
            mostRecent = try await Self.make(site, policy: 1)
        }

        private static func make(_ site: ServiceSite, policy: Int) async throws -> ChannelID {
            let body = #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#
            let response = try await ChannelCall.create().with(body: body).response(from: site)
            return try ChannelID(#require(response.text(of: "apns-channel-id")))
        }
    }

    private typealias Case = (reason: BroadcastReason, call: ChannelCall)

    private static func managementCases(_ stage: Stage) throws -> [Case] {
        let create = try ChannelCall.create()
        let read = try ChannelCall.read(stage.none)
        let delete = try ChannelCall.delete(stage.none)
        let list = try ChannelCall.list()
        let unknown = try ChannelID("AAAAAAAAAAAAAAAAAAAAAA==").description
        return [
            (.methodNotAllowed, create.with(":method", "PUT")), (.methodNotAllowed, list.with(":method", "DELETE")),
            (.methodNotAllowed, list.with(":method", "POST")),
            (.badPath, list.with(":path", "/1/apps/\(ChannelCall.app)")), (.badPath, list.with(":path", "/")),
            (.badPath, list.with(":path", "/1/apps//all-channels")),
            (.badPath, list.with(":path", "/2/apps/\(ChannelCall.app)/all-channels")),
            (.badPath, list.with(":path", "/1/apps/\(ChannelCall.app)/all-channels?")),
            (.badPath, create.with(":path", "/4/broadcasts/apps/\(ChannelCall.app)")),
            (.missingProviderToken, list.with("authorization", nil)),
            (.invalidProviderToken, list.with("authorization", "bearer a.b.c")),
            (.expiredProviderToken, list.with("authorization", try authorization(ServiceSite.start - 3601))),
            (.badMessageID, list.with("apns-request-id", "1")),
            (.topicDisallowed, list.with(":path", "/1/apps/\(ChannelCall.app).push-type.liveactivity/all-channels")),
            (.topicMismatch, list.with(":path", "/1/apps/com.example.other/all-channels")),
            (.featureNotEnabled, list.with(":path", "/1/apps/\(none)/all-channels")),
            (.featureNotEnabled, create.with(":path", "/1/apps/\(none)/channels")),
            (.missingChannelID, read.with("apns-channel-id", nil)),
            (.missingChannelID, delete.with("apns-channel-id", "")),
            (.badChannelID, read.with("apns-channel-id", "abc")),
            (.badChannelID, delete.with("apns-channel-id", "AAAAAAAAAAAAAAAAAAAAAB==")),
            (.badChannelID, read.adding("apns-channel-id", unknown)),
            (.channelNotRegistered, read.with("apns-channel-id", unknown)),
            (.channelNotRegistered, delete.with("apns-channel-id", unknown)),
            (.payloadEmpty, create.with(body: "")),
            (.payloadTooLarge, create.with(body: String(repeating: " ", count: 5121))),
            (.badRequestPayload, create.with(body: "{")), (.badRequestPayload, create.with(body: "[]")),
            (
                .badRequestParameters,
                create.with(body: #"{"message-storage-policy":1,"push-type":"LiveActivity","name":1}"#)
            ),
            (.badRequestParameters, create.with(body: #"{"message-storage-policy":2,"push-type":"LiveActivity"}"#)),
            (.missingPushType, create.with(body: #"{"message-storage-policy":1}"#)),
            (.invalidPushType, create.with(body: #"{"message-storage-policy":1,"push-type":"Alert"}"#)),
            (.missingChannelQueueSize, create.with(body: withoutMember)),
            (.cannotCreateChannelConfiguration, create),
        ]
    }

    private static func broadcastCases(_ stage: Stage) throws -> [Case] {
        let send = try ChannelCall.send(stage.none)
        let kept = try ChannelCall.send(stage.mostRecent)
        return [
            (.methodNotAllowed, send.with(":method", "GET")),
            (.badPath, send.with(":path", "/4/broadcasts/apps/")),
            (.badPath, send.with(":path", "/4/broadcasts/apps/\(ChannelCall.app)/")),
            (.missingProviderToken, send.with("authorization", "")),
            (.badMessageID, send.with("apns-request-id", Request.id.uppercased())),
            (.topicDisallowed, send.with(":path", "/4/broadcasts/apps/\(ChannelCall.app).voip")),
            (.topicMismatch, send.with(":path", "/4/broadcasts/apps/com.example.other")),
            (.featureNotEnabled, send.with(":path", "/4/broadcasts/apps/\(none)")),
            (.missingChannelID, send.with("apns-channel-id", nil)),
            (.badChannelID, send.with("apns-channel-id", "abc")),
            (.channelNotRegistered, send.with("apns-channel-id", "AAAAAAAAAAAAAAAAAAAAAA==")),
            (.missingPushType, send.with("apns-push-type", nil)),
            (.invalidPushType, send.with("apns-push-type", "alert")),
            (.badPriority, send.with("apns-priority", "7")),
            (.badPriority, send.adding("apns-priority", "10")),
            (.badExpirationDate, kept.with("apns-expiration", "soon")),
            (.badExpirationDate, send.with("apns-expiration", "\(ServiceSite.start + 60)")),
            (.payloadEmpty, send.with(body: "")),
            (.payloadTooLarge, send.with(body: String(repeating: " ", count: 5121))),
            (.badRequestPayload, send.with(body: "{")),
            (.badRequestPayload, send.with(body: #"{"aps":{"event":"start"}}"#)),
            (.badRequestPayload, send.with(body: #"{"aps":{}}"#)),
        ]
    }

    private static func authorization(_ issuedAt: Int64) throws -> String {
        try Authorization(issuedAt: issuedAt).value
    }

    /// The two reasons about certificates need a client that shows one; BadCertificate and BadCertificateEnvironment
    /// are provoked in the certificate tests.
    @Test func `every reason of Apple's table is provoked, by a bad request or by injection`() async throws {
        let stage = try await Stage()
        var provoked: Set<BroadcastReason> = []
        let cases = try Self.managementCases(stage) + Self.broadcastCases(stage)
        for (index, (reason, call)) in cases.enumerated() {
            let response = try await call.response(from: stage.site)
            #expect(
                response.broadcastReason == reason,
                "case \(index): \(String(decoding: response.body, as: UTF8.self))"
            )
            #expect(response.text(of: "content-type") == "application/json")
            #expect(response.text(of: "apns-request-id")?.utf8.count == 36, "case \(index)")
            provoked.insert(reason)
        }
        provoked.insert(try await Self.tooManyTokens(stage))
        #expect(try await ChannelCall.send(stage.none).response(from: stage.site).status == 200)
        let second = try await ChannelCall.send(stage.none).response(from: stage.site)
        #expect(second.broadcastReason == .tooManyRequests)
        provoked.insert(.tooManyRequests)
        for reason in [BroadcastReason.internalServerError, .serviceUnavailable, .shutdown] {
            await stage.site.simulator.refuseNextChannelRequest(reason)
            #expect(try await ChannelCall.list().response(from: stage.site).broadcastReason == reason)
            provoked.insert(reason)
        }
        #expect(try await ChannelCall.list().response(from: stage.site).status == 200)
        #expect(provoked == Set(BroadcastReason.allCases).subtracting([.badCertificate, .badCertificateEnvironment]))
        await stage.site.simulator.close()
    }

    private static func tooManyTokens(_ stage: Stage) async throws -> BroadcastReason {
        let connection = try await stage.site.connection(toManagement: true)
        #expect(try await ChannelCall.list().response(over: connection).status == 200)
        let other = try ChannelCall.list().with("authorization", authorization(ServiceSite.start - 1))
        let response = try await other.response(over: connection)
        #expect(response.broadcastReason == .tooManyProviderTokenUpdates)
        await connection.close()
        return .tooManyProviderTokenUpdates
    }

    /// Everything is wrong at first; each line mends the fault that was found.
    @Test func `checks come in one order`() async throws {
        let stage = try await Stage()
        var create = try ChannelCall.create().with(":method", "PUT").with(":path", "/1").with(body: "")
            .with("authorization", nil).with("apns-request-id", "1")
        let suffixed = "/1/apps/\(ChannelCall.app).voip/channels"
        let repairs: [(BroadcastReason, (inout ChannelCall) throws -> Void)] = [
            (.methodNotAllowed, { $0[":method"] = "POST" }), (.badPath, { $0[":path"] = suffixed }),
            (.missingProviderToken, { $0["authorization"] = try ChannelCall.list()["authorization"] }),
            (.badMessageID, { $0["apns-request-id"] = Request.id }),
            (.topicDisallowed, { $0[":path"] = "/1/apps/com.example.other/channels" }),
            (.topicMismatch, { $0[":path"] = "/1/apps/\(Self.none)/channels" }),
            (.featureNotEnabled, { $0[":path"] = "/1/apps/\(ChannelCall.app)/channels" }),
            (.payloadEmpty, { $0.body = "{" }), (.badRequestPayload, { $0.body = #"{"x":1}"# }),
            (.badRequestParameters, { $0.body = "{}" }),
            (.missingPushType, { $0.body = #"{"push-type":"x"}"# }),
            (.invalidPushType, { $0.body = Self.withoutMember }),
            (.missingChannelQueueSize, { $0.body = try ChannelCall.create().body }),
        ]
        for (reason, repair) in repairs {
            #expect(try await create.response(from: stage.site).broadcastReason == reason)
            try repair(&create)
        }
        #expect(try await create.response(from: stage.site).broadcastReason == .cannotCreateChannelConfiguration)
        await stage.site.simulator.close()
    }

    @Test func `a broadcast's channel is looked at before its other headers, and its body last`() async throws {
        let stage = try await Stage()
        var send = try ChannelCall.send(stage.none).with("apns-push-type", nil).with("apns-priority", "0")
            .with("apns-expiration", "1").with("apns-channel-id", "x").with(body: "")
        let repairs: [(BroadcastReason, (inout ChannelCall) -> Void)] = [
            (.badChannelID, { $0["apns-channel-id"] = stage.none.description }),
            (.missingPushType, { $0["apns-push-type"] = "liveactivity" }),
            (.badPriority, { $0["apns-priority"] = "1" }), (.badExpirationDate, { $0["apns-expiration"] = "0" }),
            (.payloadEmpty, { $0.body = #"{"aps":{"event":"end"}}"# }),
        ]
        for (reason, repair) in repairs {
            #expect(try await send.response(from: stage.site).broadcastReason == reason)
            repair(&send)
        }
        #expect(try await send.response(from: stage.site).status == 200)
        await stage.site.simulator.close()
    }
}

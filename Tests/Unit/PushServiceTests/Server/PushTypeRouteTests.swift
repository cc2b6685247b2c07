import APNS
import Envelope
import PushStore
import Testing

@testable import PushService

/// Push types besides alerts and calls, from the API to the disk.
struct PushTypeRouteTests {
    private static let tokens = [
        #"{"kind":"liveactivity-start","name":"Delivery","token":"\#(ServerStage.token(51))"}"#,
        #"{"kind":"liveactivity","name":"order-7","token":"\#(ServerStage.token(52))"}"#,
        #"{"kind":"widgets","token":"\#(ServerStage.token(53))"}"#,
        #"{"kind":"controls","token":"\#(ServerStage.token(54))"}"#,
        #"{"kind":"location","token":"\#(ServerStage.token(55))"}"#,
    ]

    private static func device(_ tokens: [String]) throws -> String {
        let own = try ServerStage.device()
        return String(own.dropLast()) + #","tokens":[\#(tokens.joined(separator: ","))]}"#
    }

    private static let update = #","aps":{"event":"update","timestamp":1795467938}"#

    @Test(arguments: [
        (kind: "silent", suffix: "", purpose: TokenPurpose?.none),
        (
            kind: "liveactivity", suffix: ".push-type.liveactivity",
            purpose: TokenPurpose(.liveActivity, name: "order-7")
        ),
        (kind: "widgets", suffix: ".push-type.widgets", purpose: TokenPurpose(.widgets)),
        (kind: "controls", suffix: ".push-type.controls", purpose: TokenPurpose(.controls)),
        (kind: "location", suffix: ".location-query", purpose: TokenPurpose(.location)),
    ])
    func `what is accepted is on the disk with its topic and its token's purpose`(
        _ example: (kind: String, suffix: String, purpose: TokenPurpose?)
    ) async throws {
        try await ServerStage.with { stage in
            let isActivity = example.kind == "liveactivity"
            let sealed = #","token-name":"order-7","sealed":"\#(Body.sealed)""#
            let recipient = #"{"device":"d1"\#(isActivity ? sealed : "")}"#
            let body = Body.notification(recipient, isActivity ? Self.update : "", class: example.kind)
            #expect(await stage.manage("PUT", "/v1/devices/d1", body: try ServerStage.device()).status == 201)
            if example.purpose != nil {
                let reply = await stage.post(body)
                #expect(reply.status == 422 && reply.pointers == ["/recipients/0/device"], "\(reply.text)")
                #expect(reply.text.contains("no token of kind '\(example.kind)'"), "\(reply.text)")
            }
            #expect(await stage.manage("PUT", "/v1/devices/d1", body: try Self.device(Self.tokens)).status == 200)
            let reply = await stage.post(body)
            #expect(reply.status == 202, "\(reply.text)")
            let kind = try #require(NotificationClass(rawValue: example.kind))
            let attempt = Attempt(time: stage.now, connection: .answered, status: 200)
            let entry = try #require(try await stage.finish(kind.lane, attempt, .accepted).first?.entry)
            #expect(entry.topic.description == "com.example.chat" + example.suffix && entry.pushType == kind.pushType)
            #expect(entry.priority == kind.priority && entry.purpose == example.purpose)
            let state = await stage.read("/v1/notifications/" + (reply.ids.first ?? ""))
            #expect(state.string("push-type") == kind.pushType.rawValue && state.string("state") == "accepted")
        }
    }

    @Test func `tokens are listed without their bytes, and those that a launch leaves out are gone`() async throws {
        try await ServerStage.with { stage in
            let all = try Self.device(Self.tokens)
            #expect(await stage.manage("PUT", "/v1/devices/d1", body: all).status == 201)
            let reply = await stage.read("/v1/devices/d1")
            let listed = reply.json?["tokens"]?.elements ?? []
            #expect(
                listed.map { $0["kind"]?.string }
                    == ["liveactivity-start", "liveactivity", "widgets", "controls", "location"]
            )
            #expect(listed.map { $0["name"]?.string } == ["Delivery", "order-7", nil, nil, nil])
            for number in 51...55 { #expect(!reply.text.contains(ServerStage.token(number))) }
            #expect(await stage.manage("PUT", "/v1/devices/d1", body: try ServerStage.device()).status == 200)
            #expect(await stage.read("/v1/devices/d1").json?["tokens"] == nil)
        }
    }

    @Test(arguments: [
        (#"{"kind":"voip","token":"00"}"#, "/tokens/0/kind"), (#"{"token":"00"}"#, "/tokens/0/kind"),
        (#"{"kind":"liveactivity","token":"00"}"#, "/tokens/0/name"),
        (#"{"kind":"liveactivity","name":"a b","token":"00"}"#, "/tokens/0/name"),
        (#"{"kind":"location","name":"a","token":"00"}"#, "/tokens/0/name"),
        (#"{"kind":"widgets","token":"0"}"#, "/tokens/0/token"), (#"{"kind":"widgets"}"#, "/tokens/0/token"),
        (#"{"kind":"widgets","token":"00"},{"kind":"widgets","token":"01"}"#, "/tokens/1"), ("1", "/tokens/0"),
    ])
    func `a token that is none is named`(_ example: (tokens: String, pointer: String)) async throws {
        try await ServerStage.with { stage in
            let reply = await stage.manage("PUT", "/v1/devices/d1", body: try Self.device([example.tokens]))
            #expect(reply.status == 422 && reply.pointers == [example.pointer], "\(reply.text)")
        }
    }

    @Test(arguments: ["liveactivity", "location"])
    func `no client certificate carries it, which Apple's rule says`(_ kind: String) async throws {
        try await ServerStage.with { stage in
            let own = try ServerStage.device(topic: "com.example.rival", environment: "sandbox")
            let device = String(own.dropLast()) + #","tokens":[\#(Self.tokens.joined(separator: ","))]}"#
            #expect(await stage.manage("PUT", "/v1/devices/d1", tenant: "rival", body: device).status == 201)
            let sealed = #","token-name":"order-7","sealed":"\#(Body.sealed)""#
            let body = Body.notification(
                #"{"device":"d1"\#(kind == "location" ? "" : sealed)}"#,
                kind == "location" ? "" : Self.update,
                class: kind
            )
            let reply = await stage.post(body.replacing("com.example.chat", with: "com.example.rival"), tenant: "rival")
            #expect(reply.status == 422 && reply.pointers == ["/recipients/0/device"], "\(reply.text)")
            #expect(reply.text.contains("A \(kind) push needs a provider token"), "\(reply.text)")
            #expect(reply.text.contains("APNs answers TopicDisallowed."))
        }
    }

    @Test func `a content state that is too large for Apple gets a 413`() async throws {
        try await ServerStage.with { stage in
            let own = try ServerStage.device(topic: "com.example.rival")
            let device = String(own.dropLast()) + #","tokens":[\#(Self.tokens[1])]}"#
            #expect(await stage.manage("PUT", "/v1/devices/d1", tenant: "rival", body: device).status == 201)
            func body(_ count: Int) -> String {
                let state = #"{"text":"\#(String(repeating: "a", count: count))"}"#
                let aps = #","aps":{"event":"update","timestamp":1795467938,"content-state":\#(state)}"#
                return Body.notification(#"{"device":"d1","token-name":"order-7"}"#, aps, class: "liveactivity")
                    .replacing("com.example.chat", with: "com.example.rival")
            }
            #expect(await stage.post(body(4_000), tenant: "rival").status == 202)
            let reply = await stage.post(body(4_096), tenant: "rival")
            #expect(reply.status == 413 && reply.problem == "payload-too-large", "\(reply.text)")
            #expect(reply.json?["room"]?.content == .integer(4_096))
        }
    }
}

import EndToEndStage
import Envelope
import Keys
import NotificationCore
import RelayClient
import Sealing
import Testing

/// Push types besides alerts and calls, from the back end to what Apple gets.
@Suite struct PushTypeTests {
    /// Push that the simulator took.
    private struct Push {
        let headers: [String: String]
        let payload: JSON

        var pushType: String? { headers["apns-push-type"] }
        var topic: String? { headers["apns-topic"] }
        var priority: String? { headers["apns-priority"] }

        init(_ event: JSON) throws {
            let pairs = event["headers"]?.elements.map { ($0.elements[0].text ?? "", $0.elements[1].text ?? "") } ?? []
            headers = Dictionary(pairs) { $1 }
            payload = try JSON(Base64URL.decode(text: event["payload"]?.text ?? "") ?? [])
        }
    }

    /// A phone whose app has registered a token of each kind.
    private func ready(on stage: Stage) async throws -> ChatPhone {
        let own = try await ChatPhone.ready(on: stage)
        let device = try await own.launch().device
        var tokens: [PurposeToken] = []
        for kind in PurposeToken.Kind.allCases {
            let name: String? =
                switch kind {
                case .liveActivityStart: "Delivery"
                case .liveActivity: "order-7"
                case .widgets, .controls, .location: nil
                }
            let instance = name.map { #","instance":"\#($0)""# } ?? ""
            let answer = try await stage.control("/v1/devices/1/tokens", #"{"kind":"\#(kind.rawValue)"\#(instance)}"#)
            let hex = Array((try JSON(answer)["token"]?.text ?? "").utf8)
            let bytes = stride(from: 0, to: hex.count, by: 2).compactMap { index in
                UInt8(String(decoding: hex[index..<index + 2], as: UTF8.self), radix: 16)
            }
            tokens.append(PurposeToken(kind, name: name, bytes: bytes))
        }
        let registration = try DeviceRegistration(
            of: device,
            token: own.phone.token,
            environment: .sandbox,
            tokens: tokens
        )
        let answer = try await own.server.register(registration.json, identity: device.identity.text)
        try device.acknowledged(registration, answer: answer)
        return own
    }

    /// Posts to the phone, and waits for Apple's answer.
    private func push(
        _ stage: Stage,
        _ kind: String,
        _ more: String = "",
        _ recipient: String = ""
    ) async throws -> Push {
        let body = """
            {"topic":"\(Stage.topic)","class":"\(kind)"\(more),"recipients":[{"device":"phone"\(recipient)}]}
            """
        let answer = try await stage.ask("POST", "/v1/notifications", Array(body.utf8))
        let json = try answer.json()
        let id = json["notifications"]?.elements.first?["id"]?.text
        guard answer.status == 202, let id else { throw Surprise("the relay answered \(json)") }
        _ = try await stage.state("accepted", of: id)
        return try await Push(stage.simulator.events.next("accepted"))
    }

    private func phoneGets(_ pushType: String, _ own: ChatPhone) async throws {
        let event = try await own.phone.events.next("other")
        #expect(event["push-type"]?.text == pushType, "\(event)")
    }

    private func sealed(_ own: ChatPhone) async throws -> String {
        let message = try PreparedMessage(Message(title: "Ada", body: "canary"), sentAt: .now)
        let sealed = try await own.server.sealed(message)
        return #","sealed":"\#(sealed.sealedField)","trace":"\#(sealed.trace.text)""#
    }

    @Test func `a silent push wakes the app, and what it brings is sealed`() async throws {
        try await Stage.with { stage in
            let own = try await ready(on: stage)
            let push = try await push(stage, "silent", "", sealed(own))
            #expect(push.pushType == "background" && push.priority == "5" && push.topic == Stage.topic)
            #expect(push.payload["aps"]?["content-available"]?.number == 1)
            #expect(push.payload["sealed"]?.text?.utf8.count == 3_840 && !"\(push.payload)".contains("canary"))
            _ = try await own.phone.events.next("woken")
            #expect(try own.phone.events.unseen("shown").isEmpty)
            let bare = try await self.push(stage, "silent")
            #expect(bare.payload["sealed"] == nil && bare.payload["trace"]?.text != nil)
            try await noLints(stage, own)
        }
    }

    @Test func `a Live Activity is started, updated and ended, in clear or sealed`() async throws {
        var options = Stage.Options()
        options.allowsClearText = true
        try await Stage.with(options) { stage in
            let own = try await ready(on: stage)
            let start = #""event":"start","timestamp":1795467938,"attributes-type":"Delivery","attributes":{}"#
            let started = try await push(stage, "liveactivity", #","aps":{\#(start),"content-state":{"step":1}}"#)
            #expect(started.pushType == "liveactivity" && started.priority == "10")
            #expect(started.topic == Stage.topic + ".push-type.liveactivity")
            #expect(started.payload["aps"]?["alert"]?["body"]?.text == "You have a new message")
            #expect(started.payload["aps"]?["content-state"]?["step"]?.number == 1)
            let updated = try await push(
                stage,
                "liveactivity",
                #","priority":5,"aps":{"event":"update","timestamp":1795467939}"#,
                #","token-name":"order-7""# + sealed(own)
            )
            #expect(updated.priority == "5" && updated.payload["aps"]?["alert"] == nil)
            #expect(updated.payload["aps"]?["content-state"]?["sealed"]?.text?.utf8.count == 3_840)
            #expect(!"\(updated.payload)".contains("canary"))
            let ended = try await push(
                stage,
                "liveactivity",
                #","aps":{"event":"end","timestamp":1795467940,"content-state":{},"dismissal-date":1795467999}"#,
                #","token-name":"order-7""#
            )
            #expect(ended.payload["aps"]?["dismissal-date"]?.number == 1_795_467_999)
            for _ in 1...3 { try await phoneGets("liveactivity", own) }
            try await noLints(stage, own)
        }
    }

    @Test func `widgets, controls and the location's extension have their own topics and tokens`() async throws {
        try await Stage.with { stage in
            let own = try await ready(on: stage)
            for kind in ["widgets", "controls"] {
                let push = try await push(stage, kind)
                #expect(push.pushType == kind && push.topic == "\(Stage.topic).push-type.\(kind)")
                #expect(push.payload["aps"]?["content-changed"]?.flag == true && push.payload["trace"] == nil)
            }
            let query = try await push(stage, "location", "", sealed(own))
            #expect(query.pushType == "location" && query.topic == Stage.topic + ".location-query")
            #expect(query.payload["sealed"]?.text?.utf8.count == 3_840)
            for pushType in ["widgets", "controls", "location"] { try await phoneGets(pushType, own) }
            try await noLints(stage, own)
        }
    }

    @Test func `an app that registers one kind's token as another's gets none, and loses only that`() async throws {
        try await Stage.with { stage in
            let own = try await ready(on: stage)
            let device = try await own.launch().device
            let wrong = PurposeToken(.widgets, bytes: try own.phone.token)
            let registration = try DeviceRegistration(
                of: device,
                token: own.phone.token,
                environment: .sandbox,
                tokens: [wrong]
            )
            _ = try await own.server.register(registration.json, identity: device.identity.text)
            let body = #"{"topic":"\#(Stage.topic)","class":"widgets","recipients":[{"device":"phone"}]}"#
            let answer = try await stage.ask("POST", "/v1/notifications", Array(body.utf8)).json()
            let id = answer["notifications"]?.elements.first?["id"]?.text ?? ""
            let state = try await stage.state("dead", of: id)
            #expect("\(state)".contains("DeviceTokenNotForTopic"), "\(state)")
            // Its own token is as good as before.
            try await own.server.send(Message(title: "Ada", body: "after that"))
            #expect(try await own.nextShown()["body"]?.text == "after that")
        }
    }

    /// The simulator's remarks on a push come before its next push.
    private func noLints(_ stage: Stage, _ own: ChatPhone) async throws {
        try await own.server.send(Message(title: "Ada", body: "the last one"))
        _ = try await own.nextShown()
        #expect(stage.simulator.events.unseen("lint").isEmpty && stage.simulator.events.unseen("rejected").isEmpty)
    }
}

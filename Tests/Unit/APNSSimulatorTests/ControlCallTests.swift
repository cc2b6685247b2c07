import APNS
import APNSProvider
import DeviceLink
import Envelope
import HTTP
import Networking
import Testing

@testable import APNSSimulator

struct ControlCallTests {
    @Test func `the state tells environment, clock, seed and every setting`() async throws {
        let control = try await ControlSite { configuration in
            configuration.environment = .production
            configuration.faults = InjectedFaults(seed: 77)
        }
        let state = try await control.call("GET /v1/state")
        #expect(state.status == 200 && state.text("environment") == "production")
        #expect(state.integer("clock") == Site.start && state.integer("seed") == 77)
        #expect(state.json?["settings"]?.members?.map(\.name) == SimulatorSetting.all.map(\.name))
    }

    @Test func `a device that is enrolled gets a token that pushes reach`() async throws {
        let control = try await ControlSite()
        let enrolled = try await control.call("POST /v1/devices", #"{"topic":"com.example.chat"}"#)
        #expect(enrolled.status == 201 && enrolled.integer("device") == 1)
        let token = try DeviceToken(hex: try #require(enrolled.text("token")))
        let client = try control.site.client()
        #expect(try await client.send(control.site.notification(1, to: token)).status == 200)
        await client.close()
        let devices = try await control.call("GET /v1/devices")
        let device = try #require(devices.json?["devices"]?.elements?.first)
        #expect(device["state"]?.string == "offline" && device["topic"]?.string == "com.example.chat")
        #expect(device["waiting"]?.content == .integer(1))
        #expect(!devices.body.contains(token.hex))
    }

    @Test func `an app that is removed answers 410 from then on`() async throws {
        let control = try await ControlSite()
        let enrolled = try await control.call("POST /v1/devices", #"{"topic":"com.example.chat"}"#)
        let token = try DeviceToken(hex: try #require(enrolled.text("token")))
        #expect(try await control.call("POST /v1/devices/1/state", #"{"state":"app-removed"}"#).status == 200)
        let client = try control.site.client()
        #expect(try await client.send(control.site.notification(1, to: token)).reason == .unregistered)
        await client.close()
        #expect(try await control.call("POST /v1/devices/2/state", #"{"state":"app-removed"}"#).status == 404)
        #expect(try await control.call("POST /v1/devices/1/state", #"{"state":"asleep"}"#).status == 400)
    }

    @Test func `a device that is there is put in a state as if it had said so`() async throws {
        let control = try await ControlSite()
        let device = try await control.site.device()
        let client = try control.site.client()
        let off = try await control.call("POST /v1/devices/1/state", #"{"state":"notifications-off"}"#)
        #expect(off.status == 200)
        let lost = control.site.notification(1, to: device.deviceToken)
        #expect(try await client.send(lost).status == 200)
        #expect(try await control.call("POST /v1/devices/1/state", #"{"state":"normal"}"#).status == 200)
        let kept = control.site.notification(2, to: device.deviceToken)
        #expect(try await client.send(kept).status == 200)
        // The first would have come before it.
        #expect(try await device.next()?.id == kept.id)
        device.close()
        await client.close()
    }

    @Test func `a token is active, gone or unknown, and says why`() async throws {
        let control = try await ControlSite()
        let enrolled = try await control.call("POST /v1/devices", #"{"topic":"com.example.chat"}"#)
        let token = try #require(enrolled.text("token"))
        let active = try await control.call("POST /v1/tokens/check", #"{"token":"\#(token)"}"#)
        #expect(active.json?["active"]?.content == .bool(true) && active.text("environment") == "sandbox")
        #expect(active.text("topic") == "com.example.chat" && active.text("why") == nil)
        _ = try await control.call("POST /v1/devices/1/state", #"{"state":"app-removed"}"#)
        let gone = try await control.call("POST /v1/tokens/check", #"{"token":"\#(token)"}"#)
        #expect(gone.json?["active"]?.content == .bool(false) && gone.text("why")?.contains("410") == true)
        let unknown = try await control.call("POST /v1/tokens/check", #"{"token":"abcd"}"#)
        #expect(
            unknown.json?["active"]?.content == .bool(false) && unknown.text("why")?.contains("BadDeviceToken") == true
        )
        for bad in [#"{"token":"xyz"}"#, #"{"token":""}"#, "{}", #"{"token":1}"#] {
            let answer = try await control.call("POST /v1/tokens/check", bad)
            #expect(answer.status == 400 && answer.body.contains("two digits for each byte"), "\(answer)")
        }
    }

    @Test func `the clock moves by seconds and to a moment, and tokens grow old with it`() async throws {
        let control = try await ControlSite()
        let enrolled = try await control.call("POST /v1/devices", #"{"topic":"com.example.chat"}"#)
        let token = try DeviceToken(hex: try #require(enrolled.text("token")))
        #expect(try await control.call("POST /v1/clock", #"{"by":3601}"#).integer("clock") == Site.start + 3_601)
        let client = try control.site.client()
        // Its provider token is of the real time: an hour and a second old.
        #expect(try await client.send(control.site.notification(1, to: token)).reason == .expiredProviderToken)
        await client.close()
        let back = try await control.call("POST /v1/clock", #"{"to":\#(Site.start)}"#)
        #expect(back.integer("clock") == Site.start && back.integer("clock-offset") == 0)
        for bad in ["{}", #"{"by":1,"to":2}"#, #"{"by":9223372036854775807}"#, #"{"to":-1}"#] {
            #expect(try await control.call("POST /v1/clock", bad).status == 400)
        }
    }

    @Test func `a setting is changed for connections that come later`() async throws {
        let control = try await ControlSite()
        let answer = try await control.call("POST /v1/settings", #"{"name":"streams","value":"7"}"#)
        #expect(answer.status == 200, "\(answer)")
        let settings = try await control.call("GET /v1/state").json?["settings"]
        #expect(settings?["streams"]?.string == "7")
        let unknown = try await control.call("POST /v1/settings", #"{"name":"stream","value":"7"}"#)
        #expect(unknown.status == 400 && unknown.text("detail")?.contains("streams") == true)
        let bad = try await control.call("POST /v1/settings", #"{"name":"streams","value":"0"}"#)
        #expect(bad.status == 400 && bad.text("detail")?.contains("1 to 100000") == true)
    }

    @Test func `a rule is added, counts what it does, and is removed`() async throws {
        let control = try await ControlSite()
        let enrolled = try await control.call("POST /v1/devices", #"{"topic":"com.example.chat"}"#)
        let token = try DeviceToken(hex: try #require(enrolled.text("token")))
        let added = try await control.call(
            "POST /v1/faults",
            #"{"fault":"rejected","reason":"BadTopic","device":1,"count":1}"#
        )
        #expect(added.status == 201 && added.integer("id") == 1, "\(added)")
        let client = try control.site.client()
        #expect(try await client.send(control.site.notification(1, to: token)).reason == .badTopic)
        #expect(try await client.send(control.site.notification(2, to: token)).status == 200)
        await client.close()
        let rule = try #require(try await control.call("GET /v1/faults").json?["rules"]?.elements?.first)
        #expect(rule["injected"]?.content == .integer(1) && rule["reason"]?.string == "BadTopic")
        #expect(try await control.call("DELETE /v1/faults/1").status == 200)
        #expect(try await control.call("DELETE /v1/faults/1").status == 404)
    }

    @Test func `faults by chance begin with their seed, and all faults end at once`() async throws {
        let control = try await ControlSite()
        let chance = try await control.call("POST /v1/faults", #"{"percent":20,"seed":9}"#)
        #expect(chance.integer("seed") == 9 && chance.integer("percent") == 20)
        _ = try await control.call("POST /v1/faults", #"{"fault":"dropped"}"#)
        #expect(try await control.call("DELETE /v1/faults").integer("removed") == 1)
        let faults = try await control.call("GET /v1/faults")
        #expect(faults.integer("percent") == 0 && faults.json?["rules"]?.elements?.isEmpty == true)
        for bad in ["{}", #"{"percent":101}"#, #"{"fault":"explode"}"#, #"{"fault":"slow"}"#, #"{"percent":1,"x":1}"#] {
            #expect(try await control.call("POST /v1/faults", bad).status == 400)
        }
    }

    @Test func `the log tells what came after a number, without tokens`() async throws {
        let control = try await ControlSite()
        let enrolled = try await control.call("POST /v1/devices", #"{"topic":"com.example.chat"}"#)
        let hex = try #require(enrolled.text("token"))
        let client = try control.site.client()
        _ = try await client.send(control.site.notification(1, to: try DeviceToken(hex: hex)))
        _ = try await client.send(control.site.notification(2, to: try DeviceToken(hex: "abcdef")))
        await client.close()
        let log = try await control.call("GET /v1/log")
        let events = try #require(log.json?["events"]?.elements)
        #expect(events.compactMap { $0["event"]?.string } == ["accepted", "stored", "rejected"])
        #expect(
            events[0]["apns-id"]?.string == control.site.notification(1, to: try DeviceToken(hex: hex)).id.description
        )
        #expect(events[2]["reason"]?.string == "BadDeviceToken" && events[2]["status"]?.content == .integer(400))
        #expect(log.integer("last") == 3 && !log.body.contains(hex) && !log.body.contains("abcdef"))
        let later = try await control.call("GET /v1/log?since=2&limit=5")
        #expect(later.json?["events"]?.elements?.count == 1)
        #expect(try await control.call("GET /v1/log?since=3").integer("last") == 3)
        for bad in ["?since=x", "?since=-1", "?limit=0", "?after=1"] {
            #expect(try await control.call("GET /v1/log\(bad)").status == 400)
        }
    }

    /// Events get their numbers when they are read.
    @Test(arguments: [false, true])
    func `a lint stands behind its push and has a number, whenever that is read`(_ isReadBetween: Bool) async throws {
        let control = try await ControlSite()
        let enrolled = try await control.call("POST /v1/devices", #"{"topic":"com.example.chat"}"#)
        let connection = try await control.site.rawConnection()
        for number in 0..<2 {
            var request = try Request()
            request[":path"] = "/3/device/\(try #require(enrolled.text("token")))"
            request["apns-expiration"] = nil
            request["apns-push-type"] = nil
            let body = Array((number == 0 ? #"{"aps":{"alert":"x"}}"# : "no JSON").utf8)
            #expect(try await connection.send(HTTP2Request(headers: request.headers, body: body)).status == 200)
            if isReadBetween { _ = try await control.call("GET /v1/log?limit=1") }
        }
        await connection.close()
        var events: [String] = []
        // As a reader does, two at a time.
        while true {
            let log = try await control.call("GET /v1/log?since=\(events.count)&limit=2")
            guard let later = log.json?["events"]?.elements, !later.isEmpty else { break }
            for event in later {
                #expect(event["number"]?.content == .integer(Int64(events.count + 1)))
                events.append(event["event"]?.string ?? "")
            }
        }
        let first = ["accepted", "lint", "stored"]
        #expect(events == first + ["accepted", "lint", "lint", "replaced", "stored"])
    }

    @Test func `every provider connection is told to go away, with its reason`() async throws {
        let control = try await ControlSite()
        let events = Recorder<HTTP2ClientEvent>()
        let connection = try await HTTP2ClientConnection.connect(
            host: "127.0.0.1",
            port: control.site.simulator.pushPort,
            context: control.site.pushContext,
            loop: control.site.clientLoop,
            limits: .patient,
            onEvent: events.record
        )
        #expect(try await control.call("POST /v1/goaway", #"{"reason":"Shutdown"}"#).status == 202)
        var count = 1
        while true {
            let event = await events.first(count)[count - 1]
            if case .goAway(_, let code, let debugData) = event {
                #expect(code == 0 && debugData == RejectionBody(.shutdown).json)
                break
            }
            count += 1
        }
        await connection.close()
        #expect(try await control.call("POST /v1/goaway", #"{"reason":"Nope"}"#).status == 400)
    }
}

import APNS
import APNSProvider
import DeviceLink
import Envelope
import HTTP
import Networking
import Testing

@testable import APNSSimulator

/// The delivery log of the control API: Apple's console has the same.
struct DeliveryLogTests {
    private static func outcomes(_ entry: JSONValue?) -> [String] {
        (entry?["steps"]?.elements ?? []).map { step in
            [step["state"]?.string, step["reason"]?.string].compactMap { $0 }.joined(separator: " ")
        }
    }

    private static func entries(_ control: ControlSite, _ query: String = "") async throws -> [JSONValue] {
        let answer = try await control.call("GET /v1/deliveries\(query)")
        #expect(answer.status == 200, "\(answer)")
        return answer.json?["deliveries"]?.elements ?? []
    }

    @Test func `a push that waited and arrived is found by both of its ids, and its token is not told`() async throws {
        let control = try await ControlSite()
        let site = control.site
        let client = try site.client()
        let token = try await site.simulator.enrol(site.topic)
        let push = site.notification(1, to: token)
        let answer = try await client.send(push)
        #expect(answer.status == 200)
        let device = try await site.device(earlierToken: token)
        device.acknowledge(try #require(try await device.next()))
        // Accepted, stored, connected, delivered.
        _ = await site.events.first(4)
        let byID = try await Self.entries(control, "?apns-id=\(push.id)")
        #expect(byID.count == 1 && Self.outcomes(byID.first) == ["stored device-offline", "delivered"], "\(byID)")
        let uniqueID = try #require(byID.first?["apns-unique-id"]?.string)
        #expect(try await Self.entries(control, "?apns-unique-id=\(uniqueID)") == byID)
        #expect(try await Self.entries(control, "?apns-unique-id=\(uniqueID.uppercased())") == byID)
        #expect(byID.first?["state"]?.string == "delivered" && byID.first?["push-type"]?.string == "alert")
        #expect(byID.first?["accepted-at"]?.content == .integer(Site.start * 1_000))
        #expect(!(try await control.call("GET /v1/deliveries").body.contains(token.hex)))
        await client.close()
    }

    @Test func `pushes come newest first, as many as are asked for, and a refused one is not there`() async throws {
        let control = try await ControlSite()
        let site = control.site
        let client = try site.client()
        let token = try await site.simulator.enrol(site.topic)
        for number in 1...3 as ClosedRange<UInt8> { _ = try await client.send(site.notification(number, to: token)) }
        let refused = site.notification(4, to: try DeviceToken(hex: "abcd"))
        #expect(try await client.send(refused).status == 400)
        let newest = try await Self.entries(control, "?limit=2")
        let ids = ([3, 2] as [UInt8]).map { "\(site.notification($0, to: token).id)" }
        #expect(newest.compactMap { $0["apns-id"]?.string } == ids)
        #expect(newest[1]["steps"]?.elements?.last?["by"]?.string == newest[0]["apns-unique-id"]?.string)
        #expect(try await Self.entries(control, "?apns-id=\(refused.id)").isEmpty)
        let both = "?apns-id=\(refused.id)&apns-unique-id=\(refused.id)"
        for bad in ["?apns-id=1", "?limit=0", "?limit=1001", "?id=x", both] {
            #expect(try await control.call("GET /v1/deliveries\(bad)").status == 400, "\(bad)")
        }
        await client.close()
    }

    @Test func `a push that was answered 200 and thrown away says why`() async throws {
        let control = try await ControlSite { $0.validation.suffixMismatch = .drop }
        let site = control.site
        let client = try site.client()
        let token = try await site.simulator.enrol(site.topic)
        let connection = try await site.rawConnection()
        var request = try Request()
        request[":path"] = "/3/device/\(token.hex)"
        request["apns-push-type"] = "voip"
        #expect(try await connection.send(HTTP2Request(headers: request.headers, body: [0x7B, 0x7D])).status == 200)
        await connection.close()
        _ = try await control.call("POST /v1/faults", #"{"fault":"dropped"}"#)
        #expect(try await client.send(site.notification(2, to: token)).status == 200)
        let entries = try await Self.entries(control)
        #expect(entries.map(Self.outcomes) == [["discarded injected-fault"], ["discarded topic-of-another-type"]])
        await client.close()
    }

    @Test func `only the token that starts Live Activities starts one, and only its own updates it`() async throws {
        let control = try await ControlSite()
        let site = control.site
        let client = try site.client()
        let device = try await site.device()
        let start = try await device.register(try #require(TokenRegistration(.liveActivityStart)))
        let update = try await device.register(try #require(TokenRegistration(.liveActivity)))
        for (token, event, arrives) in [
            (start, "start", true), (start, "update", false), (update, "start", false), (update, "end", true),
        ] {
            var push = try TokenKindTests.push(.liveactivity, on: site, to: token)
            push.payload = Array(#"{"aps":{"event":"\#(event)","timestamp":1,"content-state":{}}}"#.utf8)
            #expect(try await client.send(push).status == 200)
            if arrives { #expect(try await device.next()?.payload == push.payload) }
            let entry = try await Self.entries(control, "?apns-id=\(push.id)").first
            #expect(Self.outcomes(entry) == (arrives ? [] : ["discarded other-activity-token"]), "\(event)")
        }
        await client.close()
    }
}

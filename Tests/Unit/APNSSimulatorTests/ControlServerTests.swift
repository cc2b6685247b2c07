import APNS
import TestSupport
import Testing

@testable import APNSSimulator

struct ControlServerTests {
    @Test(arguments: ["", "Bearer", "Bearer x", "Basic %", "Bearer %x", "bearer  %  more", "%"])
    func `a call without the right secret is refused`(_ credentials: String) async throws {
        let control = try await ControlSite()
        let value = credentials.replacing("%", with: control.server.bearer)
        let answer = try await control.call("GET /v1/state", fields: ["Host: localhost", "Authorization: \(value)"])
        #expect(answer.status == 401, "\(answer)")
        #expect(answer.head.lowercased().contains("www-authenticate: bearer"))
        #expect(!answer.body.contains(control.server.bearer))
    }

    @Test(arguments: ["bearer", "Bearer", "BEARER"])
    func `the scheme is read in either case`(_ scheme: String) async throws {
        let control = try await ControlSite()
        let fields = ["Host: localhost:1", "Authorization: \(scheme) \(control.server.bearer)"]
        #expect(try await control.call("GET /v1/state", fields: fields).status == 200)
    }

    @Test(arguments: ["null", "http://127.0.0.1", "https://example.org"])
    func `a page in a browser is refused, whatever it knows`(_ origin: String) async throws {
        let control = try await ControlSite()
        let fields = ["Host: localhost", "Authorization: Bearer \(control.server.bearer)", "Origin: \(origin)"]
        #expect(try await control.call("GET /v1/state", fields: fields).status == 403)
    }

    @Test(arguments: ["example.org", "127.0.0.1.example.org", "localhost.example.org:80", "[::1]"])
    func `a name that was bound to this machine is refused`(_ host: String) async throws {
        let control = try await ControlSite()
        let fields = ["Host: \(host)", "Authorization: Bearer \(control.server.bearer)"]
        #expect(try await control.call("GET /v1/state", fields: fields).status == 403)
    }

    @Test func `two secrets are not alike`() async throws {
        let (one, other) = (try await ControlSite(), try await ControlSite())
        #expect(one.server.bearer != other.server.bearer && one.server.bearer.count == 43)
    }

    @Test func `an unknown path says which there are`() async throws {
        let control = try await ControlSite()
        for path in ["/", "/v1", "/v1/state/", "/v2/state", "/v1/devices/x/state", "/v1/devices/1", "//v1/state"] {
            let answer = try await control.call("GET \(path)")
            #expect(answer.status == 404, "\(path): \(answer)")
            for call in ControlCall.all { #expect(answer.body.contains("\(call.method) \(call.path)")) }
        }
    }

    @Test func `a wrong method says which are right`() async throws {
        let control = try await ControlSite()
        let answer = try await control.call("PUT /v1/faults", "{}")
        #expect(answer.status == 405 && answer.head.lowercased().contains("allow: get, post, delete"), "\(answer)")
    }

    @Test(arguments: ControlCall.all.map { "\($0.method) \($0.path)" })
    func `every call refuses what it does not take, and says what it takes`(_ line: String) async throws {
        let control = try await ControlSite()
        _ = try await control.call("POST /v1/devices", #"{"topic":"com.example.chat"}"#)
        let target = line.replacing("{n}", with: "1")
        let answer = try await control.call(target, #"{"colour":"red"}"#)
        #expect(answer.status == 400 && answer.text("detail")?.isEmpty == false, "\(answer)")
        #expect(answer.head.contains("application/problem+json"))
    }

    @Test(arguments: ["{", "[]", "1", "{\"by\":1,}", "{\"by\":1,\"by\":2}", "{\"by\":1.5}", "\u{FEFF}{\"by\":1}"])
    func `a body that is no strict JSON object is refused`(_ body: String) async throws {
        let control = try await ControlSite()
        let answer = try await control.call("POST /v1/clock", body)
        #expect(answer.status == 400, "\(answer)")
        #expect(try await control.call("GET /v1/state").integer("clock-offset") == 0)
    }

    @Test func `the API ends with its server`() async throws {
        let control = try await ControlSite()
        await control.server.close()
        // Until its exec, another test's child has a copy of the listener, which accepts no connection.
        var refusal: SystemFailure?
        while refusal == nil {
            do { #expect(try await control.call("GET /v1/state").status == 0) } catch let error as SystemFailure {
                refusal = error
            }
        }
        #expect(refusal?.call == "connect")
    }

    @Test func `who asks the simulator to stop hears that it does`() async throws {
        let control = try await ControlSite()
        async let answer = control.call("POST /v1/stop")
        _ = await control.stops.first(1)
        await control.server.close()
        #expect(try await answer.status == 202)
    }

    @Test func `every call of the document is one of the router's, and every call is in the document`() throws {
        let text = try TextFileReader.contents(TextFileReader.checkout + "/docs/simulator-control.md")
        let documented = text.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("### `"), line.hasSuffix("`") else { return nil }
            return String(line.dropFirst(5).dropLast())
        }
        #expect(documented == ControlCall.all.map { "\($0.method) \($0.path)" })
        for call in ControlCall.all {
            let path = call.path.replacing("{n}", with: "1")
            #expect(text.contains("http://127.0.0.1:8190\(path)"), "no curl example: \(call.method) \(call.path)")
        }
    }
}

import Envelope
import Primitives
import PushStore
import TestSupport
import Testing

@testable import PushService

/// Devices that register themselves, with a ticket or openly. `AppAttestTests` has App Attest.
struct EnrolmentRouteTests {
    private static let open = #","enrolment":{"by":"open","devices":3}"#

    fileprivate static func key(_ number: UInt8 = 7) -> String {
        "spd_" + Base64URL.string(Array(repeating: number, count: 32))
    }

    fileprivate static func hash(_ key: String) throws -> [UInt8] {
        try #require(EndpointSecret.key.hash(of: Array(key.utf8)))
    }

    private static func id(_ key: String) throws -> String { EnrolmentHandler.deviceID(try hash(key)) }

    private static func enrol(
        _ stage: ServerStage,
        _ key: String?,
        _ number: Int = 1,
        topic: String = "com.example.chat",
        _ more: String = "",
        from address: String? = nil
    ) async throws -> ServerStage.Reply {
        let registration = Base64URL.string(Array(try ServerStage.device(number, topic: topic).utf8))
        let body = #"{"registration":"\#(registration)"\#(more)}"#
        return await stage.send("POST", "/v1/enrolments", key, body: body, from: address)
    }

    @Test func `a device enrols with its endpoint key alone, makes endpoints, and comes back as the same`() async throws
    {
        try await ServerStage.with(gateway: Self.open) { stage in
            let first = try await Self.enrol(stage, Self.key())
            let id = try Self.id(Self.key())
            #expect(first.status == 201 && first.string("id") == id, "\(first.text)")
            #expect(first.json?["epoch"] != nil)
            #expect(await stage.send("POST", "/v1/endpoints", Self.key(), body: "{}").status == 201)
            #expect(try await Self.enrol(stage, Self.key(), 2).status == 200)
            #expect(await stage.send("GET", "/v1/endpoints", Self.key()).json?["endpoints"]?.elements?.count == 1)
            #expect(await stage.read("/v1/devices/" + id).status == 200)
        }
    }

    @Test func `no device is registered in another's place, and an app has no more than it may`() async throws {
        try await ServerStage.with(gateway: Self.open) { stage in
            for number in 1...3 as ClosedRange<UInt8> {
                #expect(try await Self.enrol(stage, Self.key(number), Int(number)).status == 201)
            }
            let full = try await Self.enrol(stage, Self.key(4), 4)
            #expect(full.status == 429 && full.fields["retry-after"] != nil)
            // A device that was there comes back; one that goes makes room.
            #expect(try await Self.enrol(stage, Self.key(1), 9).status == 200)
            let first = try Self.id(Self.key(1))
            #expect(await stage.manage("DELETE", "/v1/devices/" + first).status == 204)
            #expect(try await Self.enrol(stage, Self.key(4), 4).status == 201)
            // The back end's own device has this key.
            try await stage.register()
            let body = #"{"hash":"\#(Base64URL.string(try Self.hash(Self.key(5))))"}"#
            #expect(await stage.manage("PUT", "/v1/devices/d1/endpoint-key", body: body).status == 204)
            let taken = try await Self.enrol(stage, Self.key(5), 5)
            #expect(taken.status == 409 && taken.problem == "key-taken")
        }
    }

    @Test func `an app whose publisher has not turned it on has no such devices`() async throws {
        try await ServerStage.with { stage in
            let reply = try await Self.enrol(stage, Self.key())
            #expect(reply.status == 403)
        }
        try await ServerStage.with(gateway: Self.open) { stage in
            let other = try await Self.enrol(stage, Self.key(), topic: "com.example.rival")
            #expect(other.status == 403)
            #expect(try await Self.enrol(stage, nil).status == 401)
            #expect(try await Self.enrol(stage, Self.key(), 1, #","ticket":"a.b.c""#).status == 403)
            #expect(try await Self.enrol(stage, Self.key(), 1, #","challenge":"AA""#).status == 422)
            let body = #"{"registration":"\#(Base64URL.string(Array("{".utf8)))"}"#
            #expect(await stage.send("POST", "/v1/enrolments", Self.key(), body: body).status == 422)
        }
    }

    @Test func `a flood of enrolments is bounded by address, by device and by app`() async throws {
        let rule = #","enrolment":{"by":"open","per-minute":80}"#
        try await ServerStage.with(gateway: rule) { stage in
            // One device.
            var statuses: [Int] = []
            for _ in 0..<12 { statuses.append(try await Self.enrol(stage, Self.key(), from: "192.0.2.9").status) }
            #expect(statuses == [201] + Array(repeating: 200, count: 9) + [429, 429])
            // One address, of which twelve are spent; others go on.
            statuses = []
            for number in 0..<49 {
                statuses.append(
                    try await Self.enrol(stage, Self.key(UInt8(number + 10)), number + 10, from: "192.0.2.9").status
                )
            }
            #expect(statuses == Array(repeating: 201, count: 48) + [429])
            // The app, of which 58 are spent.
            statuses = []
            for number in 0..<24 {
                let address = "198.51.100.\(number)"
                statuses.append(
                    try await Self.enrol(stage, Self.key(UInt8(number + 100)), number + 100, from: address).status
                )
            }
            #expect(statuses == Array(repeating: 201, count: 22) + [429, 429])
            stage.advance(.seconds(2))
            #expect(try await Self.enrol(stage, Self.key(200), 200, from: "198.51.100.99").status == 201)
        }
    }

    // MARK: Tickets

    private struct Publisher: ~Copyable {
        let key: Ed25519PrivateKey

        init(_ seed: UInt64 = 31) {
            var random = SeededRandom(seed: seed)
            key = Ed25519PrivateKey(random: &random)
        }

        var rule: String {
            let key = Base64URL.string(key.publicKey.rawRepresentation)
            return #","enrolment":{"by":"ticket","public-keys":["\#(key)"]}"#
        }

        /// - Parameter change: of one claim, as JSON.
        func ticket(_ change: (name: String, value: String)? = nil, header: String = #"{"alg":"EdDSA"}"#) throws
            -> String
        {
            let token = try #require(Hex.decode(ServerStage.token(1)))
            var claims = [
                "aud": #""https://push.example.com""#, "app": #""com.example.chat""#,
                "sub": "\"\(Base64URL.string(try EnrolmentRouteTests.hash(EnrolmentRouteTests.key())))\"",
                "token": "\"\(Base64URL.string(SHA256.hash(token)))\"",
                "exp": "\(ServerStage.start.milliseconds / 1_000 + 600)", "iat": "1", "jti": #""a""#,
            ]
            if let change { claims[change.name] = change.value }
            let json = "{" + claims.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
            let text = Base64URL.string(Array(header.utf8)) + "." + Base64URL.string(Array(json.utf8))
            return text + "." + Base64URL.string(key.signature(over: Array(text.utf8)))
        }
    }

    @Test func `with a ticket of the app's back end a device enrols, and the ticket is good for this one alone`()
        async throws
    {
        let publisher = Publisher()
        try await ServerStage.with(gateway: publisher.rule) { stage in
            let ticket = #","ticket":"\#(try publisher.ticket())""#
            #expect(try await Self.enrol(stage, Self.key(), 1, ticket).status == 201)
            #expect(try await Self.enrol(stage, Self.key(), 1, ticket).status == 200)
            for (key, number) in [(Self.key(8), 1), (Self.key(), 2)] {
                let reply = try await Self.enrol(stage, key, number, ticket)
                #expect(reply.status == 403 && reply.problem == "not-proven", "\(reply.text)")
            }
            #expect(try await Self.enrol(stage, Self.key()).status == 403)
            stage.advance(.seconds(601))
            #expect(try await Self.enrol(stage, Self.key(), 1, ticket).status == 403)
        }
    }

    @Test(arguments: [
        ("aud", #""https://push.example.org""#), ("app", #""com.example.other""#), ("sub", #""AAAA""#),
        ("token", #""AAAA""#), ("exp", "1"), ("exp", "99999999999"), ("exp", #""1793491800""#), ("exp", "1793491800.5"),
    ])
    func `a ticket with one claim wrong enrols nothing`(_ change: (name: String, value: String)) async throws {
        let publisher = Publisher()
        try await ServerStage.with(gateway: publisher.rule) { stage in
            let ticket = #","ticket":"\#(try publisher.ticket(change))""#
            #expect(try await Self.enrol(stage, Self.key(), 1, ticket).status == 403)
            let id = try Self.id(Self.key())
            #expect(await stage.read("/v1/devices/" + id).status == 404)
        }
    }

    @Test func `a ticket that another key signed, none signed, or that was changed, enrols nothing`() async throws {
        let publisher = Publisher()
        try await ServerStage.with(gateway: publisher.rule) { stage in
            let good = try publisher.ticket()
            let parts = good.split(separator: ".").map(String.init)
            for ticket in [
                try Publisher(32).ticket(), "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", good + ".a",
                try publisher.ticket(header: #"{"alg":"none"}"#), try publisher.ticket(header: #"{"alg":"HS256"}"#),
                try publisher.ticket(header: #"{"alg":"EdDSA","crit":["x"]}"#),
                "\(parts[0]).\(Base64URL.string(Array("{}".utf8))).\(parts[2])",
                String(repeating: "a", count: 2_048),
            ] {
                let reply = try await Self.enrol(stage, Self.key(), 1, #","ticket":"\#(ticket)""#)
                #expect(reply.status == 403 && !reply.text.contains(parts[2]), "\(reply.text)")
            }
        }
    }
}

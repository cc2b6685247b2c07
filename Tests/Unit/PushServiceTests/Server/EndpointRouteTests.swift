import APNS
import EndToEndStage
import Envelope
import HTTP
import Keys
import Networking
import Platform
import Primitives
import PushStore
import TestSupport
import Testing

@testable import PushService

/// Endpoints, and servers' pushes to them. The record is a real one, for a subscription that the tests know.
struct EndpointRouteTests {
    static let key = "spd_" + Base64URL.string(Array(repeating: 7, count: 32))

    private static let point = Base64URL.string([4] + Array(repeating: 1, count: 64))

    /// A record of `byteCount + 103` bytes.
    static func record(_ byteCount: Int = 40) throws -> [UInt8] {
        var random = SeededRandom(seed: 0x3D_8030)
        let receiver = try P256PrivateKey(random: &random)
        let text = try WebPushServer.record(
            String(repeating: "a", count: byteCount),
            p256dh: Base64URL.string(receiver.publicKey.x963Representation),
            auth: Base64URL.string(Array(0..<16))
        )
        return try #require(Base64URL.decode(Array(text.utf8)))
    }

    static func setKey(_ stage: ServerStage, _ key: String = key, of device: String = "d1") async throws {
        let hash = Base64URL.string(try #require(EndpointSecret.key.hash(of: Array(key.utf8))))
        let body = #"{"hash":"\#(hash)"}"#
        #expect(await stage.manage("PUT", "/v1/devices/\(device)/endpoint-key", body: body).status == 204)
    }

    static func makeEndpoint(
        _ stage: ServerStage,
        _ key: String = key,
        body: String = "{}"
    ) async throws -> (id: String, path: String) {
        let made = await stage.send("POST", "/v1/endpoints", key, body: body)
        #expect(made.status == 201, "\(made.text)")
        let url = try #require(made.string("endpoint"))
        #expect(url.hasPrefix("https://push.example.com/wp/"))
        return (try #require(made.string("id")), String(url.dropFirst("https://push.example.com".count)))
    }

    /// - Returns: the path of a new endpoint for a server's key alone.
    static func endpoint(on stage: ServerStage, for vapidKey: String) async throws -> String {
        try await stage.register()
        try await setKey(stage)
        return try await makeEndpoint(stage, body: #"{"vapid-key":"\#(vapidKey)"}"#).path
    }

    static func send(
        _ stage: ServerStage,
        _ path: String,
        _ record: [UInt8],
        _ fields: [(String, String)]
    ) async -> ServerStage.Reply {
        let all = [(":method", "POST"), (":path", path), (":scheme", "https")]
        return await stage.send(all + fields, .whole(record), from: "192.0.2.1")
    }

    static func push(
        _ stage: ServerStage,
        to path: String,
        _ record: [UInt8],
        _ fields: [(String, String)] = [("ttl", "86400")],
        encoding: String = "aes128gcm"
    ) async -> ServerStage.Reply {
        await send(stage, path, record, [("content-encoding", encoding)] + fields)
    }

    @Test func `a server pushes with nothing but the URL, and the record reaches the queue as it is`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await Self.setKey(stage)
            let endpoint = try await Self.makeEndpoint(stage)
            let record = try Self.record()
            let reply = await Self.push(stage, to: endpoint.path, record)
            #expect(reply.status == 201 && reply.body.isEmpty && reply.fields["ttl"] == "86400")
            #expect(reply.fields["location"]?.hasPrefix("https://push.example.com/wp/m/") == true)
            let taken = try await stage.finish(
                .normal,
                Attempt(time: stage.now, connection: .answered, status: 200),
                .accepted
            )
            let payload = String(decoding: try #require(taken.first?.payload), as: UTF8.self)
            #expect(payload.contains(#""webpush":"\#(Base64URL.string(record))""#) && taken.count == 1)
            // What the server can see of the device, the endpoint or another server: nothing.
            #expect(!(reply.fields["location"] ?? "").contains(endpoint.path.dropFirst(4)))
        }
    }

    @Test func `urgency becomes the class, the time to live the life, the topic a collapse id of this endpoint`()
        async throws
    {
        try await ServerStage.with { stage in
            try await stage.register()
            try await Self.setKey(stage)
            let (one, other) = (try await Self.makeEndpoint(stage), try await Self.makeEndpoint(stage))
            let record = try Self.record()
            let high = await Self.push(stage, to: one.path, record, [("ttl", "7200"), ("urgency", "high")])
            #expect(high.fields["ttl"] == "3600")
            let long = await Self.push(stage, to: one.path, record, [("ttl", "99999999999999999999")])
            #expect(long.fields["ttl"] == "604800")
            _ = await Self.push(stage, to: one.path, record, [("ttl", "59"), ("urgency", "very-low"), ("topic", "a")])
            _ = await Self.push(stage, to: other.path, record, [("ttl", "59"), ("urgency", "low"), ("topic", "a")])
            let answered = Attempt(time: stage.now, connection: .answered, status: 200)
            let urgent = try await stage.finish(.urgent, answered, .accepted)
            let background = try await stage.finish(.background, answered, .accepted)
            #expect(urgent.count == 1 && background.count == 2)
            #expect(background.allSatisfy { $0.entry.expiration == .oneAttempt })
            #expect(Set(background.map(\.entry.collapseID)).count == 2)
        }
    }

    @Test func `a revoked endpoint, an invented one and one of a deleted device get the same 410`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await Self.setKey(stage)
            let (one, other) = (try await Self.makeEndpoint(stage), try await Self.makeEndpoint(stage))
            let record = try Self.record()
            #expect(await stage.send("DELETE", "/v1/endpoints/\(one.id)", Self.key).status == 204)
            let revoked = await Self.push(stage, to: one.path, record)
            let invented = await Self.push(stage, to: "/wp/" + Base64URL.string(Array(1...32)), record)
            #expect(await Self.push(stage, to: other.path, record).status == 201)
            #expect(await stage.manage("DELETE", "/v1/devices/d1").status == 204)
            let orphaned = await Self.push(stage, to: other.path, record)
            for reply in [revoked, invented, orphaned] {
                #expect(reply.status == 410 && reply.problem == "gone")
                #expect(reply.text == revoked.text && reply.fields == revoked.fields)
            }
            // Another device in its place has none of its endpoints, and its key is no one's.
            try await stage.register()
            #expect(await Self.push(stage, to: other.path, record).status == 410)
            #expect(await stage.send("GET", "/v1/endpoints", Self.key).status == 401)
        }
    }

    @Test func `what RFC 8030 demands is demanded, and nothing is stored without it`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await Self.setKey(stage)
            let path = try await Self.makeEndpoint(stage).path
            let record = try Self.record()
            for (fields, status) in [
                ([], 400), ([("ttl", "-1")], 400), ([("ttl", "+1")], 400), ([("ttl", "1"), ("ttl", "1")], 400),
                ([("ttl", String(repeating: "9", count: 65))], 400), ([("ttl", "1"), ("urgency", "soon")], 400),
                ([("ttl", "1"), ("topic", "a b")], 400),
                ([("ttl", "1"), ("topic", String(repeating: "a", count: 33))], 400),
            ] as [([(String, String)], Int)] {
                #expect(await Self.push(stage, to: path, record, fields).status == status, "\(fields)")
            }
            let salt = ("encryption", "salt=AAAAAAAAAAAAAAAAAAAAAA")
            let draft = [("ttl", "60"), salt, ("crypto-key", "dh=" + Self.point)]
            #expect(await Self.push(stage, to: path, record, draft, encoding: "aesgcm").status == 415)
            #expect(await Self.push(stage, to: path, record, encoding: "aesgcm").status == 400)
            #expect(await Self.push(stage, to: path, []).status == 400)
            #expect(await Self.send(stage, path, record, [("ttl", "60")]).status == 415)
            #expect(
                await Self.send(stage, path, record, [("ttl", "60"), ("content-type", "text/plain")]).status == 415
            )
            #expect(await Self.push(stage, to: path, Array(record.prefix(90))).status == 400)
            #expect(await Self.push(stage, to: path, try Self.record(3_993) + [0]).status == 413)
            #expect(await Self.push(stage, to: path + "?a", record).status == 400)
            #expect(try await stage.queuedCount() == 0)
        }
    }

    /// As browsers' push services take it (RFC 8030 section 5 asks for no body).
    @Test func `a push without a body tells of itself, and needs the server's key like any other`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await Self.setKey(stage)
            let endpoint = try await Self.makeEndpoint(stage)
            let bound = try await Self.makeEndpoint(
                stage,
                body: #"{"vapid-key":"\#(try VAPIDSigner.first().keyText)"}"#
            )
            #expect(await Self.send(stage, endpoint.path, [], [("ttl", "60")]).status == 201)
            #expect(await Self.send(stage, bound.path, [], [("ttl", "60")]).status == 401)
            let answered = Attempt(time: stage.now, connection: .answered, status: 200)
            let taken = try await stage.finish(.normal, answered, .accepted)
            let payload = String(decoding: try #require(taken.first?.payload), as: UTF8.self)
            #expect(
                taken.count == 1 && payload.contains("mutable-content") && !payload.contains("webpush"),
                "\(payload)"
            )
        }
    }

    @Test func `an endpoint made for a server's key takes that server's pushes alone, and any token is checked`()
        async throws
    {
        try await ServerStage.with { stage in
            try await stage.register()
            try await Self.setKey(stage)
            let (server, other) = (try VAPIDSigner.first(), try VAPIDSigner.second())
            let bound = try await Self.makeEndpoint(stage, body: #"{"vapid-key":"\#(server.keyText)"}"#)
            let open = try await Self.makeEndpoint(stage)
            let record = try Self.record()
            let seconds = Int64(stage.now.milliseconds / 1_000)
            func push(_ path: String, _ words: String?) async -> ServerStage.Reply {
                let signed = words.map { [("authorization", $0)] } ?? []
                return await Self.push(stage, to: path, record, [("ttl", "60")] + signed)
            }
            let valid = try server.authorization(expiry: seconds + 86_400)
            let unsigned = await push(bound.path, nil)
            #expect(unsigned.status == 401 && unsigned.problem == "vapid-missing")
            #expect(unsigned.fields["www-authenticate"] == "vapid")
            #expect(await push(bound.path, "Bearer abc").status == 401)
            for (words, path) in [
                (try other.authorization(expiry: seconds + 3_600), bound.path),
                (try server.authorization(expiry: seconds - 3_600), bound.path),
                (try server.authorization(expiry: seconds + 2 * 86_400), open.path),
                (try server.authorization("https://other.example.com", expiry: seconds + 3_600), open.path),
                ("vapid t=a.b.c", open.path),
            ] {
                let reply = await push(path, words)
                #expect(reply.status == 403 && reply.problem == "vapid-refused", "\(words)")
            }
            #expect(try await stage.queuedCount() == 0)
            // The second time from memory.
            for path in [bound.path, bound.path, open.path] { #expect(await push(path, valid).status == 201) }
            #expect(await push(open.path, nil).status == 201)
            #expect(try await stage.queuedCount() == 4)
            for body in [#"{"vapid-key":"\#(server.keyText)A"}"#, #"{"vapid-key":1}"#, "[]", #"{"vapid":""}"#] {
                #expect(await stage.send("POST", "/v1/endpoints", Self.key, body: body).status == 422, "\(body)")
            }
        }
    }

    @Test func `a record too long for a push is kept for the device, which its push tells of it`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await Self.setKey(stage)
            let endpoint = try await Self.makeEndpoint(stage)
            // As large as RFC 8030 section 7.2 demands.
            let record = try Self.record(3_993)
            #expect(record.count == 4_096)
            #expect(await Self.push(stage, to: endpoint.path, record).status == 201)
            let taken = try await stage.finish(
                .normal,
                Attempt(time: stage.now, connection: .answered, status: 200),
                .accepted
            )
            let payload = String(decoding: try #require(taken.first?.payload), as: UTF8.self)
            let id = try #require(EndpointID(text: endpoint.id))
            let trace = try #require(taken.first?.entry.trace)
            let hint = Base64URL.string(id.hint(in: trace))
            #expect(payload.contains(#""webpush":"","endpoint":"\#(hint)""#), "\(payload)")
            let path = "/v1/records/" + Base64URL.string(id.recordName(in: trace))
            let reply = await stage.send("GET", path)
            #expect(reply.status == 200 && reply.body == record && reply.fields["cache-control"] == "no-store")
            #expect(await stage.send("GET", "/v1/records/" + Base64URL.string(Array(1...32))).status == 404)
            #expect(await stage.send("GET", "/v1/records/a").status == 404)
            #expect(await stage.send("DELETE", "/v1/endpoints/\(endpoint.id)", Self.key).status == 204)
            #expect(await stage.send("GET", path).status == 404)
        }
    }

    @Test func `a device sees and revokes its own endpoints alone`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await stage.register("d2", 2)
            let other = "spd_" + Base64URL.string(Array(repeating: 8, count: 32))
            try await Self.setKey(stage)
            try await Self.setKey(stage, other, of: "d2")
            let own = try await Self.makeEndpoint(stage)
            let foreign = try await Self.makeEndpoint(stage, other)
            let list = await stage.send("GET", "/v1/endpoints", Self.key)
            #expect(list.json?["endpoints"]?.elements?.compactMap { $0["id"]?.string } == [own.id])
            #expect(await stage.send("DELETE", "/v1/endpoints/\(foreign.id)", Self.key).status == 404)
            #expect(await Self.push(stage, to: foreign.path, try Self.record()).status == 201)
            for key in [nil, "spd_", StagedConfiguration.key("acme", .manage), Self.key + "A"] {
                #expect(await stage.send("GET", "/v1/endpoints", key).status == 401)
            }
            // A new key ends the old one, and no endpoint.
            try await Self.setKey(stage, "spd_" + Base64URL.string(Array(repeating: 9, count: 32)))
            #expect(await stage.send("GET", "/v1/endpoints", Self.key).status == 401)
            #expect(await Self.push(stage, to: own.path, try Self.record()).status == 201)
        }
    }

    @Test func `an app without a gateway has none`() async throws {
        try await ServerStage.with { stage in
            try await stage.register("d3", 3, tenant: "rival")
            let hash = Base64URL.string(try #require(EndpointSecret.key.hash(of: Array(Self.key.utf8))))
            let body = #"{"hash":"\#(hash)"}"#
            let set = await stage.manage("PUT", "/v1/devices/d3/endpoint-key", tenant: "rival", body: body)
            #expect(set.status == 204)
            #expect(await stage.send("POST", "/v1/endpoints", Self.key, body: "{}").status == 403)
        }
    }

    @Test func `no answer, log or metric has the capability`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await Self.setKey(stage)
            let endpoint = try await Self.makeEndpoint(stage)
            let secret = endpoint.path.dropFirst(4)
            let record = try Self.record()
            var said = await Self.push(stage, to: endpoint.path, record).text
            said += await Self.push(stage, to: endpoint.path, [1, 2, 3]).text
            said += await stage.send("GET", endpoint.path).text
            said += await stage.send("GET", "/v1/endpoints", Self.key).text
            said += await stage.send("GET", "/v1/metrics", StagedConfiguration.key("acme", .metrics)).text
            said += stage.log
            #expect(!said.isEmpty && !said.contains(secret) && !said.contains(Self.key))
        }
    }
}

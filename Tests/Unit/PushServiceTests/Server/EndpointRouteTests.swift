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
    private static let key = "spd_" + Base64URL.string(Array(repeating: 7, count: 32))

    private static let point = Base64URL.string([4] + Array(repeating: 1, count: 64))

    private static func record(_ byteCount: Int = 40) throws -> [UInt8] {
        var random = SeededRandom(seed: 0x3D_8030)
        let receiver = try P256PrivateKey(random: &random)
        let text = try WebPushServer.record(
            String(repeating: "a", count: byteCount),
            p256dh: Base64URL.string(receiver.publicKey.x963Representation),
            auth: Base64URL.string(Array(0..<16))
        )
        return try #require(Base64URL.decode(Array(text.utf8)))
    }

    private static func setKey(_ stage: ServerStage, _ key: String = key, of device: String = "d1") async throws {
        let hash = Base64URL.string(try #require(EndpointSecret.key.hash(of: Array(key.utf8))))
        let body = #"{"hash":"\#(hash)"}"#
        #expect(await stage.manage("PUT", "/v1/devices/\(device)/endpoint-key", body: body).status == 204)
    }

    private static func makeEndpoint(
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

    private static func push(
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
            #expect(await Self.push(stage, to: path, Array(record.prefix(90))).status == 400)
            #expect(await Self.push(stage, to: path, try Self.record(3_993) + [0]).status == 413)
            #expect(await Self.push(stage, to: path + "?a", record).status == 400)
            #expect(try await stage.queuedCount() == 0)
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

    @Test func `a device has a hundred endpoints at most`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await Self.setKey(stage)
            let first = try await Self.makeEndpoint(stage)
            for _ in 1..<PushEndpoint.countMax { _ = try await Self.makeEndpoint(stage) }
            #expect(await stage.send("POST", "/v1/endpoints", Self.key, body: "{}").status == 429)
            #expect(await stage.send("DELETE", "/v1/endpoints/\(first.id)", Self.key).status == 204)
            _ = try await Self.makeEndpoint(stage)
        }
    }

    @Test func `one server's flood ends at half of the device's burst, and others' leave the next its part`()
        async throws
    {
        try await ServerStage.with { stage in
            try await stage.register()
            try await Self.setKey(stage)
            let record = try Self.record()
            var paths: [String] = []
            for _ in 1...5 { paths.append(try await Self.makeEndpoint(stage).path) }
            var counts: [Int] = []
            for path in paths.dropLast() {
                var statuses: [Int] = []
                for _ in 0..<15 { statuses.append(await Self.push(stage, to: path, record).status) }
                counts.append(statuses.count { $0 == 201 })
                #expect(statuses == statuses.sorted() && Set(statuses) == [201, 429])
            }
            #expect(counts == [10, 5, 3, 1])
            // Floods that go on take what is given back, and still leave room to one that has nothing.
            for _ in 0..<60 {
                stage.advance(.seconds(1))
                for path in paths.dropLast() { _ = await Self.push(stage, to: path, record) }
            }
            #expect(await Self.push(stage, to: paths[4], record).status == 201)
            #expect(await Self.push(stage, to: paths[0], record).status == 429)
        }
    }

    @Test func `all servers have the share of one tenant in the open requests, and take none of another's`()
        async throws
    {
        try await ServerStage.with(limits: #""open-requests":16"#) { stage in
            try await stage.register()
            try await Self.setKey(stage)
            let path = try await Self.makeEndpoint(stage).path
            let record = try Self.record()
            let body = Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)"}"#)
            func open(_ count: Int, for tenant: TenantID?) async {
                await stage.loop.run { [stage] in
                    stage.application.state.value.submissions = SharedSlots<TenantID?>()
                    stage.application.state.value.submissions.take(count, for: tenant)
                }
            }
            await open(16, for: nil)
            let refused = await Self.push(stage, to: path, record)
            #expect(refused.status == 429 && refused.text.contains("all servers"), "\(refused.text)")
            #expect(await stage.post(body).status == 202)
            await open(16, for: .named("acme"))
            #expect(await stage.post(body).status == 429)
            #expect(await Self.push(stage, to: path, record).status == 201)
        }
    }

    @Test func `a flood to an endpoint that was pushed to before costs no call of the store`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await Self.setKey(stage)
            let endpoint = try await Self.makeEndpoint(stage)
            let record = try Self.record()
            for _ in 0..<10 { #expect(await Self.push(stage, to: endpoint.path, record).status == 201) }
            await stage.store.close()
            #expect(await Self.push(stage, to: endpoint.path, record).status == 429)
            stage.advance(.seconds(2))
            #expect(await Self.push(stage, to: endpoint.path, record).status == 503)
            let unsaved = stage.context.endpointCounts.withLock { $0.takeUnsaved(now: 0, isLast: true).deltas }
            #expect(unsaved.endpoints.values.map(\.refused) == [1] && unsaved.apps.values.map(\.accepted) == [10])
        }
    }

    @Test func `all servers together have the app's rate, and another app its own`() async throws {
        try await ServerStage.with(gateway: #","pushes-per-second":2"#) { stage in
            let record = try Self.record()
            var paths: [String] = []
            for number in 1...5 as ClosedRange<UInt8> {
                try await stage.register("d\(number)", Int(number))
                let key = "spd_" + Base64URL.string(Array(repeating: number, count: 32))
                try await Self.setKey(stage, key, of: "d\(number)")
                paths.append(try await Self.makeEndpoint(stage, key).path)
            }
            var statuses: [Int] = []
            for path in paths { statuses.append(await Self.push(stage, to: path, record).status) }
            #expect(statuses == [201, 201, 201, 201, 429])
            stage.advance(.seconds(1))
            #expect(await Self.push(stage, to: paths[4], record).status == 201)
        }
    }

    @Test func `a publisher blocks an endpoint by its id, sees counts and no content, and lets the server in again`()
        async throws
    {
        try await ServerStage.with { stage in
            try await stage.register()
            try await Self.setKey(stage)
            let (one, other) = (try await Self.makeEndpoint(stage), try await Self.makeEndpoint(stage))
            let record = try Self.record()
            #expect(await Self.push(stage, to: one.path, record).status == 201)
            #expect(await stage.manage("PUT", "/v1/gateway/blocks/" + one.id).status == 204)
            let blocked = await Self.push(stage, to: one.path, record)
            let invented = await Self.push(stage, to: "/wp/" + Base64URL.string(Array(1...32)), record)
            #expect(blocked.status == 410 && blocked.text == invented.text)
            #expect(await Self.push(stage, to: other.path, record).status == 201)
            // The endpoints' counts are saved later, and seen before.
            try await stage.context.saveEndpointCounts()
            let listed = await stage.read("/v1/devices/d1/endpoints")
            let rows = try #require(listed.json?["endpoints"]?.elements)
            let row = try #require(rows.first { $0["id"]?.string == one.id })
            #expect(row["accepted"]?.content == .integer(1) && row["refused"]?.content == .integer(1))
            #expect(row["blocked"]?.content == .bool(true), "\(listed.text)")
            let view = await stage.read("/v1/gateway")
            let app = try #require(view.json?["apps"]?.elements?.first)
            #expect(app["accepted"]?.content == .integer(2) && app["refused"]?.content == .integer(1), "\(view.text)")
            #expect(view.json?["busiest"]?.elements?.first?["id"]?.string == one.id)
            #expect(view.json?["blocks"]?.elements?.compactMap(\.string) == [one.id])
            // Another relay reads it, another tenant does not see it.
            stage.context.endpointBlocks.withLock { $0 = [] }
            try await stage.context.loadEndpointBlocks()
            #expect(await Self.push(stage, to: one.path, record).status == 410)
            #expect(await stage.manage("DELETE", "/v1/gateway/blocks/" + one.id, tenant: "rival").status == 404)
            #expect(await stage.read("/v1/gateway", tenant: "rival").json?["blocks"]?.elements?.isEmpty == true)
            #expect(await stage.manage("DELETE", "/v1/gateway/blocks/" + one.id).status == 204)
            #expect(await Self.push(stage, to: one.path, record).status == 201)
            #expect(await stage.manage("PUT", "/v1/gateway/blocks/d1").status == 404)
            // A flood is over when the device says so: the rate comes after the right.
            for _ in 0..<20 { _ = await Self.push(stage, to: one.path, record) }
            #expect(await Self.push(stage, to: one.path, record).status == 429)
            #expect(await stage.send("DELETE", "/v1/endpoints/" + one.id, Self.key).status == 204)
            #expect(await Self.push(stage, to: one.path, record).status == 410)
            try await stage.context.saveEndpointCounts(isLast: true)
            let saved = await stage.read("/v1/devices/d1/endpoints").json?["endpoints"]?.elements
            #expect(saved?.map { $0["accepted"]?.content } == [.integer(1)])
            let secrets = [one.path, other.path].map { String($0.dropFirst(4)) } + [Base64URL.string(record)]
            #expect(secrets.allSatisfy { !(view.text + listed.text + stage.log).contains($0) })
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

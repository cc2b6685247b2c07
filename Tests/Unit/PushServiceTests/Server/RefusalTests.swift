import Envelope
import HTTP
import Networking
import Platform
import PushStore
import PushStorePattern
import ServiceParts
import TestSupport
import Testing

@testable import PushService

struct RefusalTests {
    private static func path(_ route: Route) -> String {
        route.pattern.split(separator: "/").map { $0.first == "{" ? "d1" : String($0) }.reduce("") { $0 + "/" + $1 }
    }

    private static func fields(_ route: Route, _ key: String?) -> [(String, String)] {
        [(":method", route.method), (":path", path(route))] + (key.map { [("authorization", "Bearer \($0)")] } ?? [])
    }

    @Test(arguments: Route.all.map(\.operation.rawValue))
    func `a route takes the keys of its scope and no others`(_ name: String) async throws {
        let route = try #require(Route.all.first { $0.operation.rawValue == name })
        try await ServerStage.with { stage in
            for scope in Scope.allCases {
                let key = StagedConfiguration.key("acme", scope)
                let reply = await stage.send(Self.fields(route, key), .whole([]))
                let isRight = route.scope == nil || route.scope == scope
                #expect((reply.status == 403) == !isRight, "\(scope): \(reply.status)")
            }
            guard route.scope != nil else { return }
            for key in [
                nil, "", "spk_", StagedConfiguration.key("acme", .send) + "a",
                "spk_" + String(repeating: "A", count: 43),
            ] {
                let reply = await stage.send(Self.fields(route, key), .whole([]))
                #expect(reply.status == 401 && reply.fields["www-authenticate"] == "Bearer")
            }
        }
    }

    @Test(arguments: [
        ("POST", "/v1/health", 405), ("HEAD", "/v1/notifications", 405), ("GET", "/v1/notifications", 405),
        ("PATCH", "/v1/devices/d1", 405), ("GET", "/", 404), ("GET", "", 404), ("GET", "*", 404),
        ("GET", "/v1/devices/", 404), ("GET", "/v1//devices/d1", 404), ("GET", "/v1/devices/../d1", 404),
        ("GET", "/v1/devices/%2e%2e", 404), ("GET", "/v1/devices/d1;x", 404), ("GET", "/v1/devices/d1.", 404),
        ("GET", "/v1/devices/a%2fb", 404), ("get", "/v1/health", 405), ("GET", "https://a/v1/health", 404),
    ])
    func `a path has one spelling (abuse case 91)`(_ example: (method: String, path: String, status: Int)) async throws
    {
        try await ServerStage.with { stage in
            let reply = await stage.send(example.method, example.path)
            #expect(reply.status == example.status && reply.problem != nil)
            #expect((reply.fields["allow"] != nil) == (example.status == 405))
        }
    }

    @Test func `a query is taken only where there is something to ask`() async throws {
        try await ServerStage.with { stage in
            for path in ["/v1/health?", "/v1/health?x=1", "/v1/devices/d1?token=1"] {
                let reply = await stage.send("GET", path, StagedConfiguration.key("acme", .read))
                #expect(reply.status == 400, "\(path)")
            }
            for query in ["limit=0", "limit=501", "limit=-1", "cursor=%00", "cursor=AAAA", "x=1", "limit=1&limit=1"] {
                let reply = await stage.manage("GET", "/v1/dead-letters?" + query)
                #expect(reply.status == 400 && reply.problem == "bad-request", "\(query)")
            }
        }
    }

    @Test func `a tenant with its share of open requests is refused before it is read, and nobody else is`()
        async throws
    {
        try await ServerStage.with(limits: #""open-requests":16"#) { stage in
            try await stage.register()
            try await stage.register(tenant: "rival")
            let body = Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)"}"#)
            let other = body.replacing("com.example.chat", with: "com.example.rival")
            func open(_ count: Int) async {
                await stage.loop.run { [stage] in
                    var places = SharedSlots<TenantID?>()
                    places.take(count, for: .named("acme"))
                    stage.application.state.value.submissions = places
                }
            }
            await open(16)
            let refused = await stage.post(body)
            #expect(refused.status == 429 && refused.problem == "too-many-requests", "\(refused.text)")
            #expect(refused.fields["retry-after"] == "1")
            #expect(await stage.post(other, tenant: "rival").status == 202)
            let read = await stage.send("GET", "/v1/devices/d1", StagedConfiguration.key("acme", .read))
            #expect(read.status == 200)
            await open(15)
            #expect(await stage.post(body).status == 202)
            #expect(try await stage.queuedCount() == 2)
        }
    }

    @Test func `where no tenant would have room, a submission's key is not looked at`() async throws {
        try await ServerStage.with(limits: #""open-requests":16"#) { stage in
            let submission = [(":method", "POST"), (":path", "/v1/notifications"), ("authorization", "Bearer spk_")]
            #expect(await stage.send(submission, .whole([])).status == 401)
            await stage.loop.run { [stage] in
                for number in 0..<46 { stage.application.state.value.submissions.take(for: .named("\(number)")) }
            }
            #expect(await stage.send(submission, .whole([])).status == 429)
        }
    }

    @Test func `of bodies that were all begun while there was room, no more than the share are taken`() async throws {
        try await ServerStage.with(limits: #""open-requests":16"#) { stage in
            try await stage.register()
            let body = Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)"}"#)
            let statuses = Guarded<[Int]>([])
            await stage.loop.run { [stage] in
                var fields = HeaderBlock()
                for (name, value) in [
                    (":method", "POST"), (":path", "/v1/notifications"), ("content-type", "application/json"),
                    ("authorization", "Bearer " + StagedConfiguration.key("acme", .send)),
                ] { fields.append(Array(name.utf8), Array(value.utf8)) }
                let exchanges = (0..<20).compactMap { _ -> (any HTTPExchange)? in
                    let head = HTTPHead(fields: fields, remoteAddress: nil)
                    guard case .read(_, _, let exchange) = stage.application.begin(head) else { return nil }
                    return exchange
                }
                for exchange in exchanges {
                    let responder = HTTPResponder { answer in statuses.withLock { $0.append(answer.status) } }
                    exchange.finish(.whole(Array(body.utf8)), responder)
                }
            }
            while statuses.withLock({ $0.count }) < 20 { await Task.yield() }
            let (taken, refused) = statuses.withLock { all in (all.count { $0 == 202 }, all.count { $0 == 429 }) }
            #expect(taken == 16 && refused == 4)
            let open = await stage.loop.run { [stage] in stage.application.state.value.submissions.total }
            #expect(open == 0)
        }
    }

    @Test func `a tenant that has its backlog in a lane has no more taken there, and other tenants and lanes have`()
        async throws
    {
        try await ServerStage.with(limits: #""backlog":1000"#) { stage in
            try await stage.register()
            try await stage.register(tenant: "rival")
            let recipient = #"{"device":"d1","sealed":"\#(Body.sealed)"}"#
            let entries = try (1...999).map { try StorePattern.entry($0, byteCount: 30) }
            let request = try OutboxRequest(tenant: TenantID("acme"), idempotency: nil, entries: entries)
            _ = try await stage.store.enqueue([request], now: stage.now)
            // All of them come while there is room for one.
            let key = StagedConfiguration.key("acme", .send)
            let normal = Body.notification(recipient, class: "normal")
            let replies = await stage.together("POST", "/v1/notifications", key, bodies: [normal, normal, normal])
            #expect(replies.map(\.status).sorted() == [202, 429, 429])
            #expect(try await stage.queuedCount() == 1_000)
            let refused = await stage.post(normal)
            #expect(refused.status == 429 && refused.fields["retry-after"] == "5", "\(refused.text)")
            // That needs no device lookup: this device does not exist.
            let stranger = Body.notification(#"{"device":"d9","sealed":"\#(Body.sealed)"}"#, class: "normal")
            #expect(await stage.post(stranger).status == 429)
            #expect(await stage.post(Body.notification(recipient, class: "urgent")).status == 202)
            let clear = #"{"topic":"com.example.rival","devices":["d1"],"notification":{"alert":"Hi"}}"#
            let rival = StagedConfiguration.key("rival", .send)
            #expect(await stage.send("POST", "/v1/compat/sap", rival, body: clear).status == 202)
        }
    }

    @Test func `a body is refused where none belongs, announced or not`() async throws {
        try await ServerStage.with { stage in
            let key = StagedConfiguration.key("acme", .read)
            let fields = [(":method", "GET"), (":path", "/v1/devices/d1"), ("authorization", "Bearer " + key)]
            for more in [("content-length", "3"), ("transfer-encoding", "chunked")] {
                #expect(await stage.send(fields + [more], .whole([])).status == 400)
            }
            #expect(await stage.send(fields, .whole([1])).status == 400)
            #expect(await stage.send(fields + [("content-length", "0")], .whole([])).status == 404)
        }
    }

    @Test func `type and coding are judged before the body is read`() async throws {
        try await ServerStage.with { stage in
            let key = StagedConfiguration.key("acme", .send)
            let fields = [(":method", "POST"), (":path", "/v1/notifications"), ("authorization", "Bearer " + key)]
            let wrong: [[(String, String)]] = [
                [], [("content-type", "text/plain")],
                [("content-type", "application/json"), ("content-encoding", "gzip")],
                [("content-type", "application/json"), ("content-type", "application/json")],
            ]
            for more in wrong {
                var block = HeaderBlock()
                for (name, value) in fields + more { block.append(Array(name.utf8), Array(value.utf8)) }
                let head = HTTPHead(fields: block, remoteAddress: nil)
                let status = await stage.loop.run {
                    if case .answer(let answer) = stage.application.begin(head) { answer.status } else { 0 }
                }
                #expect(status == 415)
            }
        }
    }

    @Test func `a body has the bound of its operation, and the answer says which`() async throws {
        try await ServerStage.with(limits: #""body-bytes":16384,"receipts":2"#) { stage in
            let long = await stage.post(#"{"a":""# + String(repeating: "a", count: 20_000) + #""}"#)
            #expect(long.status == 413 && long.problem == "body-too-large")
            #expect(long.json?["room"]?.content == .integer(16_384) && long.json?["bytes"]?.content == .integer(20_008))
            let receipts = await stage.send("POST", "/v1/receipts", body: String(repeating: " ", count: 2_000))
            #expect(receipts.json?["room"]?.content == .integer(1_280))
            let key = StagedConfiguration.key("acme", .send)
            let full = await stage.send(
                [
                    (":method", "POST"), (":path", "/v1/notifications"), ("authorization", "Bearer " + key),
                    ("content-type", "application/json"),
                ],
                .noRoom
            )
            #expect(full.status == 429 && full.fields["retry-after"] == "1")
        }
    }

    @Test func `an address has its rate, whatever it asks for and however it is written`() async throws {
        try await ServerStage.with(limits: #""requests-per-second-of-address":1"#) { stage in
            #expect(await stage.send("GET", "/v1/health", from: "192.0.2.1").status == 200)
            #expect(await stage.send("GET", "/v1/nothing", from: "::ffff:192.0.2.1").status == 404)
            let third = await stage.send("GET", "/v1/nothing", from: "192.0.2.1")
            #expect(third.status == 429 && third.fields["retry-after"] == "1")
            #expect(await stage.send("GET", "/v1/health", from: "::ffff:192.0.2.2").status == 200)
            // No proxy is configured: the field says nothing.
            let forwarded = [(":method", "GET"), (":path", "/v1/nothing"), ("forwarded", "for=192.0.2.9")]
            #expect(await stage.send(forwarded, .whole([]), from: "192.0.2.1").status == 429)
            #expect(await stage.send("GET", "/v1/health", from: "fe80::1%eth0").status == 200)
            for _ in 0..<2 { _ = await stage.send("GET", "/v1/health", from: "strange") }
            #expect(await stage.send("GET", "/v1/health", from: "stranger").status == 429)
            for _ in 0..<5 { #expect(await stage.send("GET", "/v1/health").status == 200) }
        }
    }

    @Test func `every refusal counts under what it was`() async throws {
        try await ServerStage.with { stage in
            _ = await stage.send("GET", "/v1/metrics")
            _ = await stage.post("{")
            _ = await stage.post(#"{"title":"x"}"#)
            let reply = await stage.send("GET", "/v1/metrics", StagedConfiguration.key("acme", .metrics))
            #expect(reply.status == 200 && reply.fields["content-type"] == MetricsText.contentType)
            for line in [
                #"sealedpush_refused_total{why="unauthorized"} 1"#, #"sealedpush_refused_total{why="invalid"} 1"#,
                #"sealedpush_refused_total{why="plain-text"} 1"#,
            ] { #expect(reply.text.contains(line), "\(line)") }
        }
    }

    @Test func `readiness says why nothing is taken`() async throws {
        try await ServerStage.with { stage in
            let ready = await stage.send("GET", "/v1/readiness")
            #expect(ready.text == #"{"status":"ready","clear-text":true}"#, "a tenant's setting allows it")
            let bad = [
                StoreVitals(health: .full), StoreVitals(health: .unwritable), StoreVitals(health: .broken),
                StoreVitals(health: .moved), StoreVitals(health: .restored),
                StoreVitals(health: .writable, isAnswering: false),
                StoreVitals(health: .writable, failure: .damaged),
            ]
            for vitals in bad {
                stage.around.vitals.withLock { $0 = vitals }
                let refused = await stage.send("GET", "/v1/readiness")
                #expect(refused.status == 503 && refused.problem == "storage-full", "\(vitals)")
            }
            stage.around.vitals.withLock { $0 = StoreVitals(health: .writable) }
            await stage.loop.run { stage.application.drain() }
            let stopping = await stage.send("GET", "/v1/readiness")
            #expect(stopping.status == 503 && stopping.problem == "draining")
            #expect(stopping.fields["retry-after"] == "10")
        }
    }

    @Test func `liveness fails where only a restart helps`() async throws {
        try await ServerStage.with { stage in
            let examples = [
                (StoreVitals(health: .writable), 200), (StoreVitals(health: .full), 200),
                (StoreVitals(health: .unwritable), 200), (StoreVitals(health: .writable, failure: .damaged), 200),
                (StoreVitals(health: .writable, isAnswering: false), 503),
                (StoreVitals(health: .broken, needsOpening: true, isAnswering: false), 503),
                (StoreVitals(health: .moved, needsOpening: true), 503),
                // A start would begin an empty database.
                (StoreVitals(health: .moved, needsOpening: false, isAnswering: false), 200),
            ]
            for (vitals, status) in examples {
                stage.around.vitals.withLock { $0 = vitals }
                #expect(await stage.send("GET", "/v1/health").status == status, "\(vitals)")
            }
        }
    }

    @Test func `while most submissions fail at the store it is not ready, and some seconds later it is again`()
        async throws
    {
        try await ServerStage.with { stage in
            try await stage.register()
            for _ in 0..<3 { #expect(await stage.post(Body.notification()).status == 202) }
            stage.failure = .failed(operation: .step, code: 10)
            for _ in 0..<3 { #expect(await stage.post(Body.notification()).status == 500) }
            #expect(await stage.send("GET", "/v1/readiness").status == 200, "as many as were stored")
            #expect(await stage.post(Body.notification()).status == 500)
            #expect(await stage.send("GET", "/v1/readiness").status == 503)
            stage.advance(.seconds(8))
            #expect(await stage.send("GET", "/v1/readiness").status == 200)
        }
    }

    @Test func `a key that is over gets the answer of one that is unknown, and log and metrics tell them apart`()
        async throws
    {
        try await ServerStage.with { stage in
            try await stage.register()
            let hash = APIKeyHash(of: Array(StagedConfiguration.key("acme", .send).utf8)).text
            func settings(_ end: String) throws -> ServiceSettings {
                let (from, to) = (#""hash":"\#(hash)""#, #""hash":"\#(hash)","expires":"\#(end)""#)
                let text = StagedConfiguration.text().replacing(from, with: to)
                return ServiceSettings(try ServiceConfiguration(file: Array(text.utf8)))
            }
            func adopt(_ settings: ServiceSettings) async {
                stage.context.replaceSettings(settings)
                await stage.loop.run { stage.application.reload() }
            }
            await adopt(try settings("2026-11-01T00:00:01Z"))
            #expect(await stage.post(Body.notification()).status == 202)
            stage.advance(.seconds(1))
            let unknown = await stage.send("POST", "/v1/notifications", "spk_" + String(repeating: "A", count: 43))
            for _ in 0..<3 {
                let over = await stage.post(Body.notification())
                #expect(over.status == 401 && over.body == unknown.body && over.fields == unknown.fields)
            }
            #expect(stage.log.split(separator: "\n").count { $0.contains("key-ended") } == 1)
            #expect(stage.log.contains(#""tenant":"acme","key":"acme-send""#))
            let text = await stage.send("GET", "/v1/metrics", StagedConfiguration.key("acme", .metrics)).text
            #expect(text.contains(#"sealedpush_refused_total{why="ended-key"} 3"#))
            #expect(text.contains(#"sealedpush_refused_total{why="unauthorized"} 1"#))
            await adopt(try settings("2026-12-01T00:00:00Z"))
            #expect(await stage.post(Body.notification()).status == 202)
        }
    }

    @Test func `a reload takes other keys from the next request on`() async throws {
        try await ServerStage.with { stage in
            let text = StagedConfiguration.text().split(separator: "acme-read").joined(separator: "acme-other")
            let gone = APIKeyHash(of: Array(StagedConfiguration.key("acme", .read).utf8)).text
            let other = APIKeyHash(of: Array("another".utf8)).text
            let file = text.split(separator: gone).joined(separator: other)
            let settings = ServiceSettings(try ServiceConfiguration(file: Array(file.utf8)))
            #expect(await stage.read("/v1/devices/d1").status == 404)
            stage.context.replaceSettings(settings)
            await stage.loop.run { stage.application.reload() }
            #expect(await stage.read("/v1/devices/d1").status == 401)
            #expect(await stage.send("GET", "/v1/devices/d1", "another").status == 404)
        }
    }
}

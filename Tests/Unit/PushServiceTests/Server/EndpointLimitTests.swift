import APNS
import Envelope
import HTTP
import Networking
import Platform
import Primitives
import PushStore
import TestSupport
import Testing

@testable import PushService

/// Bounds of endpoints: rates and their shares, expiry, number, blocks and counts.
struct EndpointLimitTests {
    @Test func `an endpoint ends at the time that its device gave it, and makes room for another`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await EndpointRouteTests.setKey(stage)
            let record = try EndpointRouteTests.record()
            let made = await stage.send("POST", "/v1/endpoints", EndpointRouteTests.key, body: #"{"expires-in":3600}"#)
            let url = try #require(made.string("endpoint"))
            #expect(made.string("expires") == stage.now.advanced(by: .seconds(3_600)).text)
            let path = String(url.dropFirst("https://push.example.com".count))
            for _ in 1..<PushEndpoint.countMax { _ = try await EndpointRouteTests.makeEndpoint(stage) }
            stage.advance(.seconds(3_599))
            #expect(await EndpointRouteTests.push(stage, to: path, record).status == 201)
            #expect(await stage.send("POST", "/v1/endpoints", EndpointRouteTests.key, body: "{}").status == 429)
            stage.advance(.seconds(1))
            // Once known from the push before, once from the store.
            #expect(await EndpointRouteTests.push(stage, to: path, record).status == 410)
            stage.context.endpointCounts.withLock { $0 = EndpointCounts() }
            #expect(await EndpointRouteTests.push(stage, to: path, record).status == 410)
            for reply in [
                await stage.send("GET", "/v1/endpoints", EndpointRouteTests.key),
                await stage.read("/v1/devices/d1/endpoints"),
            ] {
                #expect(reply.json?["endpoints"]?.elements?.count == PushEndpoint.countMax - 1)
            }
            _ = try await EndpointRouteTests.makeEndpoint(stage)
            for seconds in ["3601", "-1", "\"3600\"", "3600.5"] {
                let body = #"{"expires-in":\#(seconds)}"#
                #expect(
                    await stage.send("POST", "/v1/endpoints", EndpointRouteTests.key, body: body).status >= 400,
                    "\(seconds)"
                )
            }
        }
    }

    @Test func `a publisher blocks a server by its key on all devices, and no other server`() async throws {
        try await ServerStage.with { stage in
            let (server, other) = (try VAPIDSigner.first(), try VAPIDSigner.second())
            let expiry = Int64(stage.now.milliseconds / 1_000) + 3_600
            let record = try EndpointRouteTests.record()
            var endpoints: [(path: String, signer: VAPIDSigner)] = []
            for number in 1...2 as ClosedRange<UInt8> {
                try await stage.register("d\(number)", Int(number))
                let key = "spd_" + Base64URL.string(Array(repeating: number, count: 32))
                try await EndpointRouteTests.setKey(stage, key, of: "d\(number)")
                for signer in [server, other] {
                    let body = #"{"vapid-key":"\#(signer.keyText)"}"#
                    endpoints.append((try await EndpointRouteTests.makeEndpoint(stage, key, body: body).path, signer))
                }
                // Bound to no key: its signature tells the server.
                endpoints.append((try await EndpointRouteTests.makeEndpoint(stage, key).path, server))
            }
            func statuses() async throws -> [Int] {
                var all: [Int] = []
                for endpoint in endpoints {
                    let words = try endpoint.signer.authorization(expiry: expiry)
                    let fields = [("ttl", "60"), ("authorization", words)]
                    all.append(await EndpointRouteTests.push(stage, to: endpoint.path, record, fields).status)
                }
                return all
            }
            #expect(try await statuses() == Array(repeating: 201, count: 6))
            let busiest = await stage.read("/v1/gateway").json?["busiest"]?.elements ?? []
            let names = Set(busiest.compactMap { $0["server"]?.string })
            #expect(names.count == 2)
            let point = try #require(VAPIDKey(text: Array(server.keyText.utf8)))
            let name = Base64URL.string(point.hash)
            #expect(names.contains(name))
            #expect(await stage.manage("PUT", "/v1/gateway/blocks/" + name).status == 204)
            #expect(try await statuses() == [410, 201, 410, 410, 201, 410])
            #expect(await stage.manage("DELETE", "/v1/gateway/blocks/" + name).status == 204)
            #expect(try await statuses() == Array(repeating: 201, count: 6))
        }
    }

    @Test func `a device has a hundred endpoints at most`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await EndpointRouteTests.setKey(stage)
            let first = try await EndpointRouteTests.makeEndpoint(stage)
            for _ in 1..<PushEndpoint.countMax { _ = try await EndpointRouteTests.makeEndpoint(stage) }
            #expect(await stage.send("POST", "/v1/endpoints", EndpointRouteTests.key, body: "{}").status == 429)
            #expect(await stage.send("DELETE", "/v1/endpoints/\(first.id)", EndpointRouteTests.key).status == 204)
            _ = try await EndpointRouteTests.makeEndpoint(stage)
        }
    }

    @Test func `one server's flood ends at half of the device's burst, and others' leave the next its part`()
        async throws
    {
        try await ServerStage.with { stage in
            try await stage.register()
            try await EndpointRouteTests.setKey(stage)
            let record = try EndpointRouteTests.record()
            var paths: [String] = []
            for _ in 1...5 { paths.append(try await EndpointRouteTests.makeEndpoint(stage).path) }
            var counts: [Int] = []
            for path in paths.dropLast() {
                var statuses: [Int] = []
                for _ in 0..<15 { statuses.append(await EndpointRouteTests.push(stage, to: path, record).status) }
                counts.append(statuses.count { $0 == 201 })
                #expect(statuses == statuses.sorted() && Set(statuses) == [201, 429])
            }
            #expect(counts == [10, 5, 3, 1])
            // Floods that go on take what is given back, and still leave room to one that has nothing.
            for _ in 0..<60 {
                stage.advance(.seconds(1))
                for path in paths.dropLast() { _ = await EndpointRouteTests.push(stage, to: path, record) }
            }
            #expect(await EndpointRouteTests.push(stage, to: paths[4], record).status == 201)
            #expect(await EndpointRouteTests.push(stage, to: paths[0], record).status == 429)
        }
    }

    @Test func `all servers have the share of one tenant in the open requests, and take none of another's`()
        async throws
    {
        try await ServerStage.with(limits: #""open-requests":16"#) { stage in
            try await stage.register()
            try await EndpointRouteTests.setKey(stage)
            let path = try await EndpointRouteTests.makeEndpoint(stage).path
            let record = try EndpointRouteTests.record()
            let body = Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)"}"#)
            func open(_ count: Int, for tenant: TenantID?) async {
                await stage.loop.run { [stage] in
                    stage.application.state.value.submissions = SharedSlots<TenantID?>()
                    stage.application.state.value.submissions.take(count, for: tenant)
                }
            }
            await open(16, for: nil)
            let refused = await EndpointRouteTests.push(stage, to: path, record)
            #expect(refused.status == 429 && refused.text.contains("all servers"), "\(refused.text)")
            #expect(await stage.post(body).status == 202)
            await open(16, for: .named("acme"))
            #expect(await stage.post(body).status == 429)
            #expect(await EndpointRouteTests.push(stage, to: path, record).status == 201)
        }
    }

    @Test func `a flood to an endpoint that was pushed to before costs no call of the store`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            try await EndpointRouteTests.setKey(stage)
            let endpoint = try await EndpointRouteTests.makeEndpoint(stage)
            let record = try EndpointRouteTests.record()
            for _ in 0..<10 { #expect(await EndpointRouteTests.push(stage, to: endpoint.path, record).status == 201) }
            await stage.store.close()
            #expect(await EndpointRouteTests.push(stage, to: endpoint.path, record).status == 429)
            stage.advance(.seconds(2))
            #expect(await EndpointRouteTests.push(stage, to: endpoint.path, record).status == 503)
            let unsaved = stage.context.endpointCounts.withLock { $0.takeUnsaved(now: 0, isLast: true).deltas }
            #expect(unsaved.endpoints.values.map(\.refused) == [1] && unsaved.apps.values.map(\.accepted) == [10])
        }
    }

    @Test func `all servers together have the app's rate, and another app its own`() async throws {
        try await ServerStage.with(gateway: #","pushes-per-second":2"#) { stage in
            let record = try EndpointRouteTests.record()
            var paths: [String] = []
            for number in 1...5 as ClosedRange<UInt8> {
                try await stage.register("d\(number)", Int(number))
                let key = "spd_" + Base64URL.string(Array(repeating: number, count: 32))
                try await EndpointRouteTests.setKey(stage, key, of: "d\(number)")
                paths.append(try await EndpointRouteTests.makeEndpoint(stage, key).path)
            }
            var statuses: [Int] = []
            for path in paths { statuses.append(await EndpointRouteTests.push(stage, to: path, record).status) }
            #expect(statuses == [201, 201, 201, 201, 429])
            stage.advance(.seconds(1))
            #expect(await EndpointRouteTests.push(stage, to: paths[4], record).status == 201)
        }
    }

    @Test func `a publisher blocks an endpoint by its id, sees counts and no content, and lets the server in again`()
        async throws
    {
        try await ServerStage.with { stage in
            try await stage.register()
            try await EndpointRouteTests.setKey(stage)
            let (one, other) = (
                try await EndpointRouteTests.makeEndpoint(stage), try await EndpointRouteTests.makeEndpoint(stage)
            )
            let record = try EndpointRouteTests.record()
            #expect(await EndpointRouteTests.push(stage, to: one.path, record).status == 201)
            #expect(await stage.manage("PUT", "/v1/gateway/blocks/" + one.id).status == 204)
            let blocked = await EndpointRouteTests.push(stage, to: one.path, record)
            let invented = await EndpointRouteTests.push(stage, to: "/wp/" + Base64URL.string(Array(1...32)), record)
            #expect(blocked.status == 410 && blocked.text == invented.text)
            #expect(await EndpointRouteTests.push(stage, to: other.path, record).status == 201)
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
            #expect(await EndpointRouteTests.push(stage, to: one.path, record).status == 410)
            #expect(await stage.manage("DELETE", "/v1/gateway/blocks/" + one.id, tenant: "rival").status == 404)
            #expect(await stage.read("/v1/gateway", tenant: "rival").json?["blocks"]?.elements?.isEmpty == true)
            #expect(await stage.manage("DELETE", "/v1/gateway/blocks/" + one.id).status == 204)
            #expect(await EndpointRouteTests.push(stage, to: one.path, record).status == 201)
            #expect(await stage.manage("PUT", "/v1/gateway/blocks/d1").status == 404)
            // A flood is over when the device says so: the rate comes after the right.
            for _ in 0..<20 { _ = await EndpointRouteTests.push(stage, to: one.path, record) }
            #expect(await EndpointRouteTests.push(stage, to: one.path, record).status == 429)
            #expect(await stage.send("DELETE", "/v1/endpoints/" + one.id, EndpointRouteTests.key).status == 204)
            #expect(await EndpointRouteTests.push(stage, to: one.path, record).status == 410)
            try await stage.context.saveEndpointCounts(isLast: true)
            let saved = await stage.read("/v1/devices/d1/endpoints").json?["endpoints"]?.elements
            #expect(saved?.map { $0["accepted"]?.content } == [.integer(1)])
            let secrets = [one.path, other.path].map { String($0.dropFirst(4)) } + [Base64URL.string(record)]
            #expect(secrets.allSatisfy { !(view.text + listed.text + stage.log).contains($0) })
        }
    }
}

import APNS
import Envelope
import HTTP
import Networking
import Platform
import PushStorePattern
import TestCertificates
import TestSupport
import TestWebServer
import Testing

@testable import PushService
@testable import PushStore

/// Events over kept connections, one to a call and many, from a real store.
struct WebhookReuseTests {
    private let site: HookSite
    private let folder: TemporaryFolder

    init() throws {
        site = try HookSite()
        folder = try TemporaryFolder()
    }

    /// A store with that many dead notifications, of which the tenants have no event yet.
    private func store(deadCount: Int, of tenants: [String] = ["acme"]) async throws -> SQLiteStore {
        let store = try SQLiteStore(path: folder.path("store"), key: try StorePattern.key(), now: HookSite.now)
        for (index, tenant) in tenants.enumerated() {
            for start in stride(from: 0, to: deadCount, by: 500) {
                let entries = try (start..<min(start + 500, deadCount)).map { number in
                    var entry = try StorePattern.entry(UInt64(index * deadCount + number), device: number)
                    entry.isReported = true
                    return entry
                }
                let request = try OutboxRequest(tenant: try TenantID(tenant), idempotency: nil, entries: entries)
                let past = StorePattern.start
                guard case .sending(let leases) = try await store.enqueueSending([request], now: past)[0] else {
                    continue
                }
                let attempt = Attempt(time: past, connection: .answered, status: 410, reason: "Unregistered")
                let outcomes = leases.map { Outcome(lease: $0, attempt: attempt, verdict: .dead(.undeliverable)) }
                // An event is as old as the end of its notification, and is dropped after a day.
                _ = try await store.finish(outcomes, now: HookSite.now)
            }
        }
        return store
    }

    private func ids(_ request: TestWebServer.Request) -> [String] {
        let limits = JSONParser.Limits(byteCountMax: 1 << 20, depthMax: 4, allowsFractions: false)
        guard let body = try? JSONParser.parse(request.body, limits: limits) else { return [] }
        return (body["events"]?.elements ?? [body]).compactMap { $0["id"]?.string }
    }

    private func tell(_ webhooks: [String: WebhookConfiguration], from store: SQLiteStore) async throws -> TenantHooks {
        let hooks = TenantHooks(site.context(try site.settings(webhooks), store: store), way: HookSite.way())
        hooks.start()
        return hooks
    }

    @Test func `two thousand events go over few connections, to a receiver that takes 50 ms for each`() async throws {
        let count = 2_000
        let told = Watched(0)
        let server = try await site.serve { _ in
            told.change { $0 += 1 }
            return [.pause(.milliseconds(50)), .answer("204 No Content", body: [])]
        }
        let store = try await store(deadCount: count)
        let hooks = try await tell(["acme": site.webhook(port: server.port)], from: store)
        await told.when { $0 >= count }
        await hooks.drain(patience: .seconds(3_600))
        #expect(try await store.hookCounts().map(\.waiting) == [0])
        await store.close()
        #expect(server.connectionCount <= count / 10, "\(server.connectionCount)")
        #expect(server.requests.allSatisfy { $0.isSigned(with: HookSite.secret) })
        #expect(Set(server.requests.flatMap(ids)).count == count)
    }

    @Test func `over HTTP/2 many calls share a connection`() async throws {
        let count = 500
        let identity = try site.authority.issue()
        let context = unsafe try TLSContext.server(
            certificateChainPEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM.span.bytes,
            alpn: ["h2"]
        )
        let (told, connections, loop) = (Watched(0), Watched(0), site.loop)
        let server = try await HTTP2Server.start(
            address: "127.0.0.1",
            port: 0,
            context: context,
            loop: loop,
            limits: .patient
        ) { _ in
            connections.change { $0 += 1 }
            return SlowHandler(loop) { told.change { $0 += 1 } }
        }
        let store = try await store(deadCount: count)
        let hooks = try await tell(["acme": site.webhook(port: server.port)], from: store)
        await told.when { $0 >= count }
        await hooks.drain(patience: .seconds(3_600))
        #expect(try await store.hookCounts().map(\.waiting) == [0])
        await store.close()
        // libcurl 7.88 resets each stream behind its answer, for which a server may close the connection.
        #expect(told.value >= count && connections.value <= count / 10, "\(told.value), \(connections.value)")
        await server.close()
    }

    @Test func `several events go in one call, where the configuration says so`() async throws {
        let count = 1_000
        let told = Watched(0)
        let server = try await site.serve { request in
            told.change { $0 += 1 }
            return [.answer("204 No Content", body: [])]
        }
        let store = try await store(deadCount: count)
        let hooks = try await tell(["acme": site.webhook(port: server.port, eventsPerCall: 100)], from: store)
        while try await store.hookCounts().map(\.waiting) != [0] { await Task.yield() }
        await hooks.drain(patience: .seconds(3_600))
        await store.close()
        let requests = server.requests
        #expect(requests.count < count / 4 && Set(requests.flatMap(ids)).count == count)
        #expect(requests.allSatisfy { $0.isSigned(with: HookSite.secret) && ids($0).count <= 100 })
        #expect(Set(requests.compactMap { $0.fields["webhook-id"] }).count == requests.count)
        let text = String(decoding: try #require(requests.first).body, as: UTF8.self)
        #expect(text.hasPrefix(#"{"events":[{"id":""#) && text.hasSuffix("}]}"))
    }

    @Test func `a connection that its receiver ended meanwhile costs nothing but another`() async throws {
        // A receiver that closes after every third answer without notice.
        let server = try await site.serve { request in
            [.answer("204 No Content", body: [])] + (request.number % 3 == 2 ? [.close] : [])
        }
        let store = try await store(deadCount: 300)
        let hooks = try await tell(["acme": site.webhook(port: server.port)], from: store)
        // A lost call is repeated after some seconds.
        while try await store.hookCounts().map(\.waiting) != [0] { await Task.yield() }
        await hooks.drain(patience: .seconds(3_600))
        await store.close()
        #expect(Set(server.requests.flatMap(ids)).count == 300)
        #expect(site.log.value.allSatisfy { $0.contains("lost") })
    }

    @Test func `a receiver that hangs takes no other's places`() async throws {
        let asked = Watched(0)
        let hung = try await site.serve { _ in
            asked.change { $0 += 1 }
            return [.hold]
        }
        let told = Watched(0)
        let quick = try await site.serve { _ in
            told.change { $0 += 1 }
            return [.answer("204 No Content", body: [])]
        }
        let store = try await store(deadCount: 400, of: ["hung", "acme"])
        let webhooks = ["hung": site.webhook(port: hung.port), "acme": site.webhook(port: quick.port)]
        let hooks = try await tell(webhooks, from: store)
        await told.when { $0 >= 400 }
        #expect(asked.value <= 8)
        await hooks.drain(patience: .milliseconds(1), grace: .seconds(3_600))
        await store.close()
    }

    @Test func `a kept connection takes no post of a tenant that may not go where it leads (abuse case 59)`()
        async throws
    {
        let identity = try site.authority.issue(names: "DNS:hooks.example.com")
        let server = try await TestWebServer.start(identity) { _ in [.answer("204 No Content", body: [])] }
        // The name leads to this machine at the first lookup, to a public address at the second.
        let lookups = Watched(0)
        let way = HookSite.way { _ in
            let count = lookups.change { count in
                count += 1
                return count
            }
            return [IPAddress(count == 1 ? "127.0.0.1" : "93.184.216.34")].compactMap { $0 }
        }
        let sender = WebhookSender(loop: site.loop, clock: HookSite.clock, way: way)
        let allowed = site.webhook(port: server.port, host: "hooks.example.com")
        let other = site.webhook(port: server.port, host: "hooks.example.com", allowed: [])
        #expect(await sender.send(WebhookPost(to: allowed, id: "a", body: [])) == .answered(status: 204))
        #expect(await sender.send(WebhookPost(to: other, id: "b", body: [])) == .notSent(.address(.loopback)))
        #expect(server.requests.map { $0.fields["webhook-id"] } == ["a"])
        await sender.stop()
    }
}

/// Takes 20 ms for each request.
private final class SlowHandler: HTTP2Handler {
    private let loop: EventLoop
    private let onRequest: () -> Void

    init(_ loop: EventLoop, onRequest: @escaping () -> Void) {
        self.loop = loop
        self.onRequest = onRequest
    }

    func handle(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder) {
        onRequest()
        loop.schedule(after: .milliseconds(20)) { responder.respond(status: 204) }
    }
}

import Envelope
import HTTP
import Networking
import Platform
import Primitives
import TestCertificates
import TestSupport
import TestWebServer
import Testing

@testable import PushService

/// One post to one server, against addresses and servers that do right and wrong. The test decides what a name resolves
/// to.
struct WebhookSenderTests {
    private static let body = Array(#"{"event":"dead"}"#.utf8)

    private let site: HookSite

    init() throws { site = try HookSite() }

    private func send(
        _ webhook: WebhookConfiguration,
        _ lookup: WebhookRoute.Lookup? = nil,
        alone: Bool = false
    ) async -> WebhookResult {
        let sender = WebhookSender(loop: site.loop, clock: HookSite.clock, way: HookSite.way(lookup))
        let post = WebhookPost(to: webhook, id: "delivery-1", body: Self.body)
        return alone ? await sender.sendAlone(post) : await sender.send(post)
    }

    private static func addresses(_ texts: [String]) -> WebhookRoute.Lookup {
        { _ in texts.compactMap { IPAddress($0) } }
    }

    @Test(arguments: [false, true])
    func `a post arrives as it is, with its name and a signature of now`(_ alone: Bool) async throws {
        let server = try await site.serve { _ in [.answer("204 No Content", body: []), .close] }
        #expect(await send(site.webhook(port: server.port), alone: alone) == .answered(status: 204))
        let request = try #require(server.requests.first)
        #expect(request.method == "POST" && request.target == "/hook?key=\(HookSite.secretQuery)")
        #expect(request.body == Self.body && request.fields["content-type"] == "application/json")
        #expect(request.fields["webhook-id"] == "delivery-1" && request.fields["user-agent"] == "SealedPush")
        #expect(request.fields["cookie"] == nil && request.fields["accept-encoding"] == nil)
        #expect(request.isSigned(with: HookSite.secret))
        #expect(!request.isSigned(with: HookSite.oldSecret))
    }

    @Test func `while a secret is replaced each signs`() async throws {
        let server = try await site.serve { _ in [.answer(body: []), .close] }
        let webhook = site.webhook(port: server.port, oldSecretPath: site.oldSecretPath)
        #expect(await send(webhook) == .answered(status: 200))
        let request = try #require(server.requests.first)
        #expect(request.isSigned(with: HookSite.secret) && request.isSigned(with: HookSite.oldSecret))
    }

    @Test func `a secret that others may read signs nothing`() async throws {
        let server = try await site.serve { _ in [.answer(body: [])] }
        let path = try site.file("open.key", HookSite.secret, mode: 0o644)
        let result = await send(site.webhook(port: server.port, secretPath: path))
        #expect(result == .notSent(.secret(.open)) && server.requests.isEmpty)
    }

    @Test(arguments: [
        ("127.0.0.1", AddressError.loopback), ("[::1]", .loopback), ("10.1.2.3", .privateUse),
        ("169.254.169.254", .linkLocal), ("[::ffff:127.0.0.1]", .loopback), ("[::ffff:7f00:1]", .loopback),
        ("0.0.0.0", .reserved), ("[fe80::1]", .linkLocal), ("[64:ff9b::7f00:1]", .loopback),
    ])
    func `an address that is not public is refused (abuse case 59)`(
        _ host: String,
        _ refusal: AddressError
    ) async throws {
        let server = try await site.serve { _ in [.answer(body: [])] }
        let result = await send(site.webhook(port: server.port, host: host, allowed: []))
        #expect(result == .notSent(.address(refusal)) && server.requests.isEmpty)
    }

    @Test(arguments: [
        (["127.0.0.1"], AddressError.loopback), (["93.184.216.34", "127.0.0.1"], .loopback),
        (["127.0.0.1", "93.184.216.34"], .loopback), (["93.184.216.34", "::1"], .loopback), (["10.0.0.7"], .privateUse),
        (["::ffff:127.0.0.1"], .loopback), (["169.254.169.254"], .linkLocal), ([], .none),
    ])
    func `a name that leads to one such address leads nowhere (abuse case 59)`(
        _ addresses: [String],
        _ refusal: AddressError
    ) async throws {
        let identity = try site.authority.issue(names: "DNS:hooks.example.com")
        let server = try await TestWebServer.start(identity) { _ in [.answer(body: [])] }
        let webhook = site.webhook(port: server.port, host: "hooks.example.com", allowed: [])
        #expect(await send(webhook, Self.addresses(addresses)) == .notSent(.address(refusal)))
        #expect(server.requests.isEmpty)
    }

    @Test func `a name is looked up once, and what it means a moment later changes nothing (abuse case 59)`()
        async throws
    {
        let identity = try site.authority.issue(names: "DNS:hooks.example.com")
        let server = try await TestWebServer.start(identity) { _ in [.answer(body: []), .close] }
        let lookups = Watched(0)
        let webhook = site.webhook(port: server.port, host: "hooks.example.com")
        let result = await send(webhook) { _ in
            let isFirst = lookups.change { count in
                count += 1
                return count == 1
            }
            return [IPAddress(isFirst ? "127.0.0.1" : "10.0.0.1")].compactMap { $0 }
        }
        #expect(result == .answered(status: 200) && lookups.value == 1)
        #expect(server.requests.first?.fields["host"] == "hooks.example.com:\(server.port)")
    }

    @Test func `the system's own answer is not asked for, even where it has one`() async throws {
        let server = try await site.serve { _ in [.answer(body: [])] }
        // "localhost" is 127.0.0.1 to every resolver; the checked address is another, without a listener.
        let webhook = site.webhook(port: server.port, host: "localhost")
        #expect(await send(webhook, Self.addresses(["127.0.0.77"])) == .notSent(.notReached))
        #expect(server.requests.isEmpty)
    }

    @Test func `a redirect is an answer, and not followed (abuse case 58)`() async throws {
        let other = try await site.serve { _ in [.answer(body: [])] }
        let location = other.url("/")
        let server = try await site.serve { _ in [.answer("307 Moved", ["Location": location], body: []), .close] }
        #expect(await send(site.webhook(port: server.port)) == .answered(status: 307))
        #expect(server.requests.count == 1 && other.requests.isEmpty)
    }

    @Test func `a server with another's certificate gets nothing`() async throws {
        let identity = try site.authority.issue(names: "DNS:other.example.com")
        let server = try await TestWebServer.start(identity) { _ in [.answer(body: [])] }
        let webhook = site.webhook(port: server.port, host: "hooks.example.com")
        #expect(await send(webhook, Self.addresses(["127.0.0.1"])) == .notSent(.notTrusted))
        #expect(server.requests.isEmpty)
    }

    @Test func `an answer that never ends is cut, and was an answer`() async throws {
        let server = try await site.serve { _ in [.answer(), .sendForever([UInt8](repeating: 7, count: 1_000))] }
        #expect(await send(site.webhook(port: server.port)) == .answered(status: 200))
    }

    @Test(arguments: [false, true])
    func `who says nothing after a post may have it`(_ alone: Bool) async throws {
        let server = try await site.serve { _ in [.cut] }
        #expect(await send(site.webhook(port: server.port), alone: alone) == .lost)
    }

    @Test(arguments: [false, true])
    func `nobody there had nothing of it`(_ alone: Bool) async throws {
        let port = try HeldPort.deaf()
        #expect(await send(site.webhook(port: port.number), alone: alone) == .notSent(.notReached))
    }

    @Test func `plain HTTP goes where it is allowed`() async throws {
        let bodies = Watched<[[UInt8]]>([])
        let (server, port) = try await site.receiver { request in
            bodies.change { $0.append(request.body) }
            return HTTPAnswer(status: 204)
        }
        #expect(await send(site.webhook(port: port, isPlain: true)) == .answered(status: 204))
        #expect(bodies.value == [Self.body])
        await server.close()
    }

    @Test func `stopping ends what is sent, and nothing is sent after it`() async throws {
        let asked = Watched(0)
        let server = try await site.serve { _ in
            asked.change { $0 += 1 }
            return [.hold]
        }
        let sender = WebhookSender(loop: site.loop, clock: HookSite.clock, way: HookSite.way())
        let webhook = site.webhook(port: server.port)
        let results = await withTaskGroup(of: WebhookResult.self) { group in
            for number in 0..<6 {
                group.addTask {
                    await sender.send(WebhookPost(to: webhook, id: "\(number)", body: Self.body))
                }
            }
            await asked.when { $0 == 6 }
            await sender.stop()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: .lost, count: 6))
        let late = await sender.send(WebhookPost(to: webhook, id: "late", body: Self.body))
        #expect(late == .notSent(.cancelled) && asked.value == 6)
    }

    @Test func `without permission not a byte goes out`() async throws {
        let server = try await site.serve { _ in [.answer(body: [])] }
        let sender = WebhookSender(loop: site.loop, clock: HookSite.clock, way: HookSite.way())
        let post = WebhookPost(to: site.webhook(port: server.port), id: "delivery-1", body: Self.body)
        #expect(await sender.sendAlone(post) { .calledOff } == .notSent(.calledOff))
        #expect(server.requests.isEmpty)
    }
}

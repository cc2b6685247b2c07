import Envelope
import Networking
import Platform
import Primitives
import PushStorePattern
import ServiceParts
import TestSupport
import TestWebServer
import Testing

@testable import PushService
@testable import PushStore

struct HookRunnerTests {
    private let site: HookSite

    init() throws { site = try HookSite() }

    private static var soon: HookRetry {
        var retry = HookRetry()
        retry.firstMilliseconds = 1
        retry.ceilingMilliseconds = 1
        return retry
    }

    private func runner(_ context: ServiceContext, _ retry: HookRetry = Self.soon) -> (HookRunner, WebhookSender) {
        let sender = WebhookSender(loop: site.loop, clock: HookSite.clock, way: HookSite.way())
        return (HookRunner(context, sender: sender, retry: retry, chance: { 0 }), sender)
    }

    private func add(
        _ kind: HookKind,
        _ numbers: some Sequence<Int> = [1],
        tenant: String = "acme",
        detail: [UInt8] = [],
        at time: Timestamp = HookSite.now
    ) async throws {
        let id = try TenantID(tenant)
        let hooks = try await site.sent(numbers, tenant: tenant).map {
            NewHook(tenant: id, entry: $0, kind: kind, detail: detail)
        }
        _ = try await site.store.report(hooks, now: time)
    }

    @Test func `what happened arrives signed, and is done`() async throws {
        let server = try await site.serve { _ in [.answer("204 No Content", body: []), .close] }
        let ended = HookSite.now
        let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        try await site.sent([1], .dead(.rejected), status: 410, at: ended) { entry in
            entry.isReported = true
            entry.traceContext = TraceContext(traceparent)
        }
        let (runner, _) = runner(site.context(try site.settings(["acme": site.webhook(port: server.port)])))
        runner.wake()
        try await site.untilTold()
        let request = try #require(server.requests.first)
        #expect(request.isSigned(with: HookSite.secret))
        let (id, entry) = (request.fields["webhook-id"] ?? "", try StorePattern.entry(1))
        #expect(id.hasPrefix("\(entry.apnsID)_"))
        let text = String(decoding: request.body, as: UTF8.self)
        let changed = ISODateTime.text(milliseconds: Int64(ended.milliseconds))
        #expect(
            text.hasPrefix(#"{"id":"\#(id)","event":"dead","time":""#)
                && text.hasSuffix(
                    #""apns-id":"\#(entry.apnsID)","trace":"\#(entry.trace?.text ?? "")","#
                        + #""traceparent":"\#(traceparent)","device":"device 1","#
                        + #""topic":"com.example.chat","push-type":"alert","lane":"urgent","state":"dead","#
                        + #""reason":"rejected","status":410,"apns-reason":"Unregistered","attempts":1,"#
                        + #""accepted-at":"2026-11-01T00:00:00.000Z","changed-at":"\#(changed)"}"#
                ),
            "\(text)"
        )
        #expect(site.log.value.isEmpty)
    }

    @Test(arguments: HookKind.allCases)
    func `every event has its word, and a re-send its prekey`(_ kind: HookKind) async throws {
        let server = try await site.serve { _ in [.answer(body: []), .close] }
        try await add(kind, detail: kind == .resendRequested ? [0, 1, 2, 3, 4, 5, 6, 7] : [])
        let (runner, _) = runner(site.context(try site.settings(["acme": site.webhook(port: server.port)])))
        runner.wake()
        try await site.untilTold()
        let words = ["dead", "expired", "delivered", "resend-requested", "fallback", "fallback-uncertain"]
        let text = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
        #expect(text.contains("\"event\":\"\(words[Int(kind.rawValue) - 1])\""))
        #expect(text.contains(#""prekey-id":"AAECAwQFBgc""#) == (kind == .resendRequested))
    }

    @Test(arguments: ["500 Failed", "503 Busy", "429 Slow", "408 Late", "302 Found"])
    func `after such an answer it comes again, the same`(_ answer: String) async throws {
        let server = try await site.serve { [.answer($0.number == 0 ? answer : "200 OK", body: []), .close] }
        try await add(.expired)
        let (runner, _) = runner(site.context(try site.settings(["acme": site.webhook(port: server.port)])))
        runner.wake()
        try await site.untilTold()
        let requests = server.requests
        #expect(requests.count == 2)
        #expect(requests[0].body == requests[1].body)
        #expect(requests[0].fields["webhook-id"] == requests[1].fields["webhook-id"])
        let lines = site.log.value
        #expect(lines.count == 1 && lines[0].contains(#""event":"webhook-failed","tenant":"acme""#))
        #expect(lines[0].contains(#""outcome":"status \#(answer.prefix(3))""#))
        for line in lines {
            #expect(!line.contains(HookSite.secret) && !line.contains(HookSite.secretQuery))
            #expect(!line.contains("device 1") && !line.contains("v1="))
        }
    }

    @Test(arguments: ["400 Bad", "401 No", "404 None", "410 Gone"])
    func `what a server does not want is given up, and said in the log`(_ answer: String) async throws {
        let server = try await site.serve { _ in [.answer(answer, body: []), .close] }
        try await add(.dead)
        let (runner, _) = runner(site.context(try site.settings(["acme": site.webhook(port: server.port)])))
        runner.wake()
        try await site.untilTold()
        #expect(server.requests.count == 1)
        #expect(site.log.value.count == 1 && site.log.value[0].contains(#""event":"webhook-given-up""#))
    }

    @Test func `a dead port is tried until somebody listens, wherever the configuration says by then`() async throws {
        let dead = try HeldPort.deaf()
        let server = try await site.serve { _ in [.answer(body: []), .close] }
        try await add(.dead)
        let context = site.context(try site.settings(["acme": site.webhook(port: dead.number)]))
        let (runner, _) = runner(context)
        runner.wake()
        await site.log.when { $0.count >= 2 }
        context.replaceSettings(try site.settings(["acme": site.webhook(port: server.port)]))
        try await site.untilTold()
        #expect(server.requests.count == 1)
        #expect(site.log.value.allSatisfy { $0.contains(#""outcome":"not reached""#) })
    }

    @Test func `a tenant that is not told anything any more has its hooks ended`() async throws {
        try await add(.dead)
        try await add(.dead, [2], tenant: "gone")
        let (runner, _) = runner(site.context(try site.settings(["acme": nil])))
        runner.wake()
        try await site.untilTold()
        try await site.untilTold(tenant: "gone")
    }

    @Test func `a day after it happened it is given up`() async throws {
        let dead = try HeldPort.deaf()
        let day = Timestamp(milliseconds: HookSite.now.milliseconds - 86_400_000)
        try await add(.dead, at: day)
        let (runner, _) = runner(site.context(try site.settings(["acme": site.webhook(port: dead.number)])))
        runner.wake()
        try await site.untilTold()
        #expect(site.log.value.count == 1 && site.log.value[0].contains("webhook-given-up"))
    }

    @Test func `a server that never answers delays nobody else's`() async throws {
        let slowAsked = Watched(0)
        let slow = try await site.serve { _ in
            slowAsked.change { $0 += 1 }
            return [.hold]
        }
        let quick = try await site.serve { _ in [.answer(body: [])] }
        // Theirs are due first, and are many more than are held for one tenant.
        for start in stride(from: 1, to: 2_000, by: 500) { try await add(.dead, start..<start + 500, tenant: "slow") }
        try await add(.dead, 2_001...2_020)
        let settings = try site.settings([
            "slow": site.webhook(port: slow.port), "acme": site.webhook(port: quick.port),
        ])
        let (runner, sender) = runner(site.context(settings))
        runner.wake()
        await slowAsked.when { $0 == 8 }
        try await site.untilTold()
        #expect(slowAsked.value == 8 && site.log.value.isEmpty)
        // Only as many as there is room for were taken.
        #expect(try await site.count("SELECT count(*) FROM hook WHERE due > \(HookSite.now.milliseconds)") == 16)
        await runner.stop()
        await sender.stop()
        await runner.drained()
        #expect(try await site.count("SELECT count(*) FROM hook") == 2_000)
    }

    @Test func `draining lets a post come to its end, and gives back what hangs`() async throws {
        let asked = Watched(0)
        let server = try await site.serve { _ in
            asked.change { $0 += 1 }
            return [.hold]
        }
        try await add(.dead, 1...10)
        let context = site.context(try site.settings(["acme": site.webhook(port: server.port)]))
        let all = TenantHooks(context, way: HookSite.way())
        all.start()
        await asked.when { $0 == 8 }
        await all.drain(patience: .milliseconds(1), grace: .seconds(3_600))
        #expect(try await site.count("SELECT count(*) FROM hook") == 10)
        // Another process continues at once with those that had not begun.
        #expect(try await site.count("SELECT count(*) FROM hook WHERE due <= \(HookSite.now.milliseconds)") >= 2)
    }

    @Test func `whoever waits for the end learns of it, however close it is`() async throws {
        let tenant = try TenantID("acme")
        let hooks = try await site.sent(1...20).map { NewHook(tenant: tenant, entry: $0, kind: .dead) }
        for _ in 1...200 {
            // Their end is written without a call, and nothing else is waited for.
            _ = try await site.store.report(hooks, now: HookSite.now)
            let (runner, _) = runner(site.context(try site.settings(["acme": nil])))
            runner.wake()
            await runner.drained()
            await runner.close()
            await runner.drained()
        }
    }
}

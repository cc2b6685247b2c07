import Envelope
import Platform
import Primitives
import TestSupport
import TestWebServer
import Testing
import Transport

@testable import PushService
@testable import PushStore

/// Hooks from the store to tenants' servers.
struct HookRunnerTests {
    private let site: HookSite

    init() throws { site = try HookSite() }

    /// Waits of a moment between repetitions.
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

    @discardableResult
    private func add(_ kind: HookKind, _ entry: OutboxEntry, detail: [UInt8] = []) -> Int64 {
        let now = HookSite.now
        return site.store.state.change { $0.add(kind, entry, detail: detail, at: now) }
    }

    @Test func `what happened arrives signed, and is done`() async throws {
        let server = try await site.serve { _ in [.answer("204 No Content", body: []), .close] }
        let entry = try HookSite.entry(1)
        let attempt = Attempt(time: HookSite.now, connection: .answered, status: 410, reason: "Unregistered")
        site.store.state.change { $0.attempts[entry.id] = [attempt] }
        let id = add(.dead, entry)
        let (runner, _) = runner(site.context(try site.settings(["acme": site.webhook(port: server.port)])))
        runner.ring()
        await site.store.state.when { $0.done == [id] }
        let request = try #require(server.requests.first)
        #expect(request.isSigned(with: HookSite.secret))
        #expect(request.fields["webhook-id"] == "\(entry.apnsID)_\(id)")
        let text = String(decoding: request.body, as: UTF8.self)
        #expect(
            text.hasPrefix(#"{"id":"\#(entry.apnsID)_\#(id)","event":"dead","time":""#)
                && text.hasSuffix(
                    #""apns-id":"\#(entry.apnsID)","trace":"BwcHBwcHBwcHBwcHBwcHBw","device":"device-1","#
                        + #""topic":"com.example.chat","push-type":"alert","lane":"urgent","state":"dead","#
                        + #""reason":"rejected","status":410,"apns-reason":"Unregistered","attempts":2,"#
                        + #""accepted-at":"2023-11-14T22:13:20.000Z","changed-at":"2023-11-14T22:13:21.500Z"}"#
                )
        )
        #expect(site.log.value.isEmpty)
    }

    @Test(arguments: HookKind.allCases)
    func `every event has its word, and a re-send its prekey`(_ kind: HookKind) async throws {
        let server = try await site.serve { _ in [.answer(body: []), .close] }
        let entry = try HookSite.entry(1, state: .delivered)
        add(kind, entry, detail: kind == .resendRequested ? [0, 1, 2, 3, 4, 5, 6, 7] : [])
        let (runner, _) = runner(site.context(try site.settings(["acme": site.webhook(port: server.port)])))
        runner.ring()
        await site.store.state.when { !$0.done.isEmpty }
        let words = ["dead", "expired", "delivered", "resend-requested", "fallback", "fallback-uncertain"]
        let text = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
        #expect(text.contains("\"event\":\"\(words[Int(kind.rawValue) - 1])\""))
        #expect(text.contains(#""prekey-id":"AAECAwQFBgc""#) == (kind == .resendRequested))
    }

    @Test(arguments: ["500 Failed", "503 Busy", "429 Slow", "408 Late", "302 Found"])
    func `after such an answer it comes again, the same`(_ answer: String) async throws {
        let server = try await site.serve { [.answer($0.number == 0 ? answer : "200 OK", body: []), .close] }
        let id = add(.expired, try HookSite.entry(1, state: .expired))
        let (runner, _) = runner(site.context(try site.settings(["acme": site.webhook(port: server.port)])))
        runner.ring()
        let state = await site.store.state.when { $0.done == [id] }
        let requests = server.requests
        #expect(requests.count == 2 && state.retried == [id])
        #expect(requests[0].body == requests[1].body)
        #expect(requests[0].fields["webhook-id"] == requests[1].fields["webhook-id"])
        let lines = site.log.value
        #expect(lines.count == 1 && lines[0].contains(#""event":"webhook-failed","tenant":"acme""#))
        #expect(lines[0].contains(#""outcome":"status \#(answer.prefix(3))""#))
        for line in lines {
            #expect(!line.contains(HookSite.secret) && !line.contains(HookSite.secretQuery))
            #expect(!line.contains("device-1") && !line.contains("v1="))
        }
    }

    @Test(arguments: ["400 Bad", "401 No", "404 None", "410 Gone"])
    func `what a server does not want is given up, and said in the log`(_ answer: String) async throws {
        let server = try await site.serve { _ in [.answer(answer, body: []), .close] }
        let id = add(.dead, try HookSite.entry(1))
        let (runner, _) = runner(site.context(try site.settings(["acme": site.webhook(port: server.port)])))
        runner.ring()
        let state = await site.store.state.when { $0.done == [id] }
        #expect(server.requests.count == 1 && state.retried.isEmpty)
        #expect(site.log.value.count == 1 && site.log.value[0].contains(#""event":"webhook-given-up""#))
    }

    @Test func `a dead port is tried until somebody listens, wherever the configuration says by then`() async throws {
        let dead = try HeldPort.deaf()
        let server = try await site.serve { _ in [.answer(body: []), .close] }
        let id = add(.dead, try HookSite.entry(1))
        let context = site.context(try site.settings(["acme": site.webhook(port: dead.number)]))
        let (runner, _) = runner(context)
        runner.ring()
        await site.store.state.when { $0.retried.count >= 2 }
        context.replaceSettings(try site.settings(["acme": site.webhook(port: server.port)]))
        await site.store.state.when { $0.done == [id] }
        #expect(server.requests.count == 1)
        #expect(site.log.value.allSatisfy { $0.contains(#""outcome":"not reached""#) })
    }

    @Test func `a tenant that is not told anything any more has its hooks ended`() async throws {
        let ids = [add(.dead, try HookSite.entry(1)), add(.dead, try HookSite.entry(2, tenant: "gone"))]
        let (runner, _) = runner(site.context(try site.settings(["acme": nil])))
        runner.ring()
        await site.store.state.when { Set($0.done) == Set(ids) }
    }

    @Test func `a day after it happened it is given up`() async throws {
        let dead = try HeldPort.deaf()
        let day = Timestamp(milliseconds: HookSite.now.milliseconds - 86_400_000)
        let entry = try HookSite.entry(1)
        let id = site.store.state.change { $0.add(.dead, entry, at: day) }
        let (runner, _) = runner(site.context(try site.settings(["acme": site.webhook(port: dead.number)])))
        runner.ring()
        let state = await site.store.state.when { $0.done == [id] }
        #expect(state.retried.isEmpty && site.log.value.contains { $0.contains("webhook-given-up") })
    }

    @Test func `a server that never answers delays nobody else's`() async throws {
        let slowAsked = Watched(0)
        let slow = try await site.serve { _ in
            slowAsked.change { $0 += 1 }
            return [.hold]
        }
        let quick = try await site.serve { _ in [.answer(body: [])] }
        // Theirs are due first, and many more than are held for one.
        for number in 1...2_000 { add(.dead, try HookSite.entry(Int64(number), tenant: "slow")) }
        let ids = Set(try (2_001...2_020).map { add(.dead, try HookSite.entry($0)) })
        let settings = try site.settings([
            "slow": site.webhook(port: slow.port), "acme": site.webhook(port: quick.port),
        ])
        let (runner, sender) = runner(site.context(settings))
        runner.ring()
        await slowAsked.when { $0 == 8 }
        let state = await site.store.state.when { $0.done.count >= 20 }
        #expect(Set(state.done) == ids && slowAsked.value == 8)
        // Only as many as there is room for were taken.
        let now = HookSite.now
        #expect(state.hooks.values.count { $0.due > now } == 16 && state.retried.isEmpty)
        await runner.stop()
        await sender.stop()
        await runner.drained()
        #expect(site.store.state.value.hooks.count == 2_000)
    }

    @Test func `draining lets a post come to its end, and gives back what hangs`() async throws {
        let asked = Watched(0)
        let server = try await site.serve { _ in
            asked.change { $0 += 1 }
            return [.hold]
        }
        let ids = try (1...10).map { add(.dead, try HookSite.entry($0)) }
        let context = site.context(try site.settings(["acme": site.webhook(port: server.port)]))
        let all = TenantHooks(context, way: HookSite.way())
        all.start()
        await asked.when { $0 == 8 }
        await all.drain(patience: .milliseconds(1), grace: .seconds(3_600))
        let state = site.store.state.value
        #expect(state.hooks.count == 10 && Set(state.retried).isSubset(of: ids))
        // Another process goes on at once with those that had not begun.
        #expect(state.hooks.values.count(where: { $0.due <= HookSite.now }) >= 2)
    }

    @Test func `whoever waits for the end learns of it, however close it is`() async throws {
        for number in 1...200 {
            // Not told anything any more: their end is written, and nothing else is waited for.
            for offset in 0..<20 { add(.dead, try HookSite.entry(Int64(number * 20 + offset))) }
            let (runner, _) = runner(site.context(try site.settings(["acme": nil])))
            runner.ring()
            await runner.drained()
            await runner.close()
            await runner.drained()
        }
    }
}

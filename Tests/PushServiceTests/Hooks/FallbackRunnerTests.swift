import APNS
import Envelope
import Platform
import Primitives
import PushStorePattern
import Synchronization
import TestSupport
import TestWebServer
import Testing
import Transport

@testable import PushService
@testable import PushStore

/// Fallbacks from the claim to a provider of text messages, which here is a local fake of it.
struct FallbackRunnerTests {
    private static let words = "You have a new message"

    private let site: HookSite

    init() throws { site = try HookSite() }

    private func fallback(
        _ kind: FallbackConfiguration.Kind = .sms,
        port: UInt16,
        text: String = Self.words
    ) -> FallbackConfiguration {
        FallbackConfiguration(kind: kind, delivery: site.webhook(port: port), afterSeconds: 60, text: text)
    }

    private func context(_ fallback: FallbackConfiguration?, hooksPort: UInt16? = nil) throws -> ServiceContext {
        site.context(try site.settings(["acme": hooksPort.map { site.webhook(port: $0) }], fallback: fallback))
    }

    private func runner(
        _ context: ServiceContext,
        patience: FallbackRunner.Patience = FallbackRunner.Patience()
    ) -> (FallbackRunner, WebhookSender) {
        let sender = WebhookSender(loop: site.loop, clock: HookSite.clock, way: HookSite.way())
        return (FallbackRunner(context, sender: sender, patience: patience) {}, sender)
    }

    private func arm(_ entries: OutboxEntry...) {
        let now = HookSite.now
        site.store.state.change { state in
            for entry in entries { state.arm(entry, at: now) }
        }
    }

    private func entry(_ number: Int64) throws -> OutboxEntry { try HookSite.entry(number, state: .accepted) }

    @Test func `a text message's provider gets device, words and id, and nothing else`() async throws {
        let server = try await site.serve { _ in [.answer(body: []), .close] }
        let entry = try entry(1)
        arm(entry)
        let context = try context(fallback(port: server.port), hooksPort: 1)
        let (runner, _) = runner(context)
        runner.ring()
        let state = await site.store.state.when { !$0.reported.isEmpty }
        let request = try #require(server.requests.first)
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"{"id":"\#(entry.apnsID)_fallback","device":"device-1","text":"You have a new message"}"#
        )
        #expect(request.fields["webhook-id"] == "\(entry.apnsID)_fallback")
        #expect(request.isSigned(with: HookSite.secret))
        #expect(state.reported == [NewHook(tenant: entry.tenant, entry: entry.id, kind: .fallback)])
        #expect(context.metrics.withLock { $0.fallbacks } == [1, 0, 0] && site.log.value.isEmpty)
    }

    @Test func `a webhook gets which notification it is as well`() async throws {
        let asked = Watched(0)
        let server = try await site.serve { _ in
            asked.change { $0 += 1 }
            return [.answer(body: []), .close]
        }
        let entry = try entry(1)
        arm(entry)
        let (runner, _) = runner(try context(fallback(.webhook, port: server.port)))
        runner.ring()
        await asked.when { $0 == 1 }
        let text = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
        #expect(text.hasPrefix(#"{"id":"\#(entry.apnsID)_fallback","event":"no-receipt","time":""#))
        #expect(text.contains(#""apns-id":"\#(entry.apnsID)""#) && text.contains(#""device":"device-1""#))
        #expect(text.hasSuffix(#""text":"You have a new message"}"#))
    }

    /// What happens to the first, and that the second is all that comes after it.
    @Test(arguments: ["500 Failed", "429 Slow", "404 None", ""])
    func `what went out is not sent again, whatever the answer`(_ answer: String) async throws {
        let asked = Watched(0)
        let server = try await site.serve { request in
            asked.change { $0 += 1 }
            guard request.number == 0 else { return [.answer(body: []), .close] }
            return answer.isEmpty ? [.cut] : [.answer(answer, body: []), .close]
        }
        arm(try entry(1))
        let context = try context(fallback(port: server.port), hooksPort: 1)
        let (runner, _) = runner(context)
        runner.ring()
        let lines = await site.log.when { !$0.isEmpty }
        let event = answer.isEmpty ? "fallback-uncertain" : "fallback-failed"
        #expect(lines[0].contains(#""event":"\#(event)","tenant":"acme""#))
        #expect(lines[0].contains(answer.isEmpty ? #""outcome":"lost""# : #""outcome":"status \#(answer.prefix(3))""#))
        let second = try entry(2)
        arm(second)
        runner.ring()
        let state = await site.store.state.when { $0.reported.last?.kind == .fallback }
        #expect(server.requests.count == 2 && state.reported.last?.entry == second.id)
        #expect(state.reported.map(\.kind) == (answer.isEmpty ? [.fallbackUncertain, .fallback] : [.fallback]))
        #expect(context.metrics.withLock { $0.fallbacks } == (answer.isEmpty ? [1, 0, 1] : [1, 1, 0]))
    }

    @Test func `of a thousand that are due at once each is sent once, and none is dropped`() async throws {
        let sent = Watched<[[UInt8]]>([])
        let (server, port) = try await site.receiver { request in
            sent.change { $0.append(request.body) }
            return HTTPAnswer(status: 204)
        }
        let delivery = site.webhook(port: port, isPlain: true)
        let fallback = FallbackConfiguration(kind: .sms, delivery: delivery, afterSeconds: 60, text: Self.words)
        for number in 1...1_000 { arm(try entry(Int64(number))) }
        let (runner, _) = runner(try context(fallback))
        let (isOver, log) = (Watched(false), site.log)
        // They end with the test's own waiting.
        Task {
            await sent.when { $0.count == 1_000 }
            isOver.change { $0 = true }
        }
        Task {
            await log.when { !$0.isEmpty }
            isOver.change { $0 = true }
        }
        runner.ring()
        await isOver.when { $0 }
        #expect(site.log.value.isEmpty)
        await runner.drained()
        #expect(sent.value.count == 1_000 && Set(sent.value).count == 1_000)
        await server.close()
    }

    @Test func `while there is no connection it is tried again`() async throws {
        let dead = try HeldPort.deaf()
        let server = try await site.serve { _ in [.answer(body: []), .close] }
        arm(try entry(1))
        let context = try context(fallback(port: dead.number), hooksPort: 1)
        var patience = FallbackRunner.Patience()
        patience.firstWaitMilliseconds = 1
        patience.wholeMilliseconds = 3_600_000
        // The provider comes back when it was looked for three times.
        let lookups = Watched(0)
        let sender = WebhookSender(
            loop: site.loop,
            clock: HookSite.clock,
            way: HookSite.way { _ in
                lookups.change { $0 += 1 }
                return [IPAddress("127.0.0.1")].compactMap { $0 }
            }
        )
        func named(_ port: UInt16) throws -> FallbackConfiguration {
            let delivery = site.webhook(port: port, host: "localhost")
            return FallbackConfiguration(kind: .sms, delivery: delivery, afterSeconds: 60, text: Self.words)
        }
        context.replaceSettings(
            try site.settings(["acme": site.webhook(port: 1)], fallback: try named(dead.number))
        )
        let runner = FallbackRunner(context, sender: sender, patience: patience) {}
        runner.ring()
        await lookups.when { $0 >= 3 }
        context.replaceSettings(
            try site.settings(["acme": site.webhook(port: 1)], fallback: try named(server.port))
        )
        await site.store.state.when { !$0.reported.isEmpty }
        #expect(server.requests.count == 1 && site.store.state.value.begun.count == 1)
    }

    @Test func `after its time it is given up`() async throws {
        let dead = try HeldPort.deaf()
        arm(try entry(1))
        var patience = FallbackRunner.Patience()
        patience.wholeMilliseconds = 0
        let (runner, _) = runner(try context(fallback(port: dead.number)), patience: patience)
        runner.ring()
        let lines = await site.log.when { !$0.isEmpty }
        #expect(lines[0].contains("fallback-failed") && lines[0].contains("not reached"))
        await runner.close()
        await runner.drained()
    }

    @Test func `it is on the disk that it is being sent before a byte of it goes out`() async throws {
        let begun = Watched<[Int]>([])
        let server = try await site.serve { [store = site.store] _ in
            begun.change { $0.append(store.state.value.begun.count) }
            return [.answer(body: []), .close]
        }
        arm(try entry(1))
        let (runner, _) = runner(try context(fallback(port: server.port)))
        runner.ring()
        #expect(await begun.when { !$0.isEmpty } == [1])
    }

    @Test func `a receipt that comes before the first byte calls it off`() async throws {
        let server = try await site.serve { _ in [.answer(body: []), .close] }
        let (first, second) = (try entry(1), try entry(2))
        arm(first)
        let named = FallbackConfiguration(
            kind: .sms,
            delivery: site.webhook(port: server.port, host: "localhost"),
            afterSeconds: 60,
            text: Self.words
        )
        let context = try context(named, hooksPort: 1)
        // While its name is looked up, it is claimed.
        let way = HookSite.way { [store = site.store] _ in
            store.state.change { $0.fallbacks[first.id] = nil }
            return [IPAddress("127.0.0.1")].compactMap { $0 }
        }
        let sender = WebhookSender(loop: site.loop, clock: HookSite.clock, way: way)
        let runner = FallbackRunner(context, sender: sender) {}
        runner.ring()
        await site.store.state.when { $0.claimed == [first] && $0.fallbacks.isEmpty }
        await runner.drained()
        arm(second)
        runner.ring()
        let state = await site.store.state.when { !$0.reported.isEmpty }
        #expect(state.begun == [second.id] && state.reported.map(\.entry) == [second.id])
        #expect(server.requests.count == 1 && site.log.value.isEmpty)
        #expect(context.metrics.withLock { $0.fallbacks } == [1, 0, 0])
    }

    @Test func `draining gives back what was not sent, and says what may have been`() async throws {
        let asked = Watched(0)
        let server = try await site.serve { _ in
            asked.change { $0 += 1 }
            return [.hold]
        }
        for number in 1...20 { arm(try entry(Int64(number))) }
        let context = try context(fallback(port: server.port))
        let all = TenantHooks(context, way: HookSite.way())
        all.fallbacks.ring()
        await asked.when { $0 == 8 }
        await all.drain(patience: .milliseconds(1), grace: .seconds(3_600))
        let state = site.store.state.value
        #expect(state.begun.count == 8 && state.fallbacks.count == 12)
        #expect(state.fallbacks.values.allSatisfy { $0.state == .armed && $0.fallback.due <= HookSite.now })
        #expect(context.metrics.withLock { $0.fallbacks } == [0, 0, 8])
        #expect(site.log.value.count { $0.contains("fallback-uncertain") } == 8)
    }

    @Test func `a provider that never answers holds eight of its own, and delays no other's`() async throws {
        let asked = Watched(0)
        let slow = try await site.serve { _ in
            asked.change { $0 += 1 }
            return [.hold]
        }
        let quick = try await site.serve { _ in [.answer(body: []), .close] }
        for number in 1...500 { arm(try HookSite.entry(Int64(number), tenant: "slow", state: .accepted)) }
        let settings = try site.settings(["slow": nil], fallback: fallback(port: slow.port))
        let context = site.context(settings)
        let (runner, sender) = runner(context)
        runner.ring()
        await asked.when { $0 == 8 }
        // Another tenant comes behind all of these.
        context.replaceSettings(
            try site.settings(["acme": site.webhook(port: 1)], fallback: fallback(port: quick.port))
        )
        for number in 501...540 { arm(try entry(Int64(number))) }
        runner.ring()
        let state = await site.store.state.when { $0.reported.count == 40 }
        #expect(state.claimed.count { $0.tenant.text == "slow" } == 16 && asked.value == 8)
        await runner.close()
        await runner.stop()
        await sender.stop()
        await runner.drained()
        #expect(site.store.state.value.fallbacks.count == 492)
    }

    @Test func `the device says of which environment the app is`() async throws {
        let asked = Watched<[String]>([])
        let server = try await site.serve { request in
            asked.change { $0.append(String(decoding: request.body, as: UTF8.self)) }
            return [.answer(body: []), .close]
        }
        let entry = try entry(1)
        let registration = Device.Registration(
            key: DeviceKey(tenant: entry.tenant, device: entry.device),
            topic: entry.topic,
            environment: .sandbox,
            token: try DeviceToken(bytes: Array(repeating: 1, count: 32)),
            bundle: []
        )
        let device = Device(
            registration: registration,
            registered: HookSite.now,
            seen: HookSite.now,
            quarantine: nil,
            voIPQuarantine: nil
        )
        site.store.state.change { $0.devices[registration.key] = device }
        arm(entry)
        let settings = try site.settings(
            ["acme": nil],
            fallback: fallback(port: server.port, text: "production"),
            sandboxFallback: fallback(port: server.port, text: "sandbox")
        )
        let (runner, _) = runner(site.context(settings))
        runner.ring()
        let texts = await asked.when { !$0.isEmpty }
        #expect(texts.count == 1 && texts[0].contains("sandbox"))
    }

    @Test func `a call's topic is its app's, and an app without a fallback sends none`() async throws {
        let asked = Watched(0)
        let server = try await site.serve { _ in
            asked.change { $0 += 1 }
            return [.answer(body: []), .close]
        }
        let call = try HookSite.entry(1, state: .accepted, topic: "com.example.chat.voip", pushType: .voip)
        let other = try HookSite.entry(2, state: .accepted, topic: "com.example.other")
        arm(other, call)
        let (runner, _) = runner(try context(fallback(port: server.port)))
        runner.ring()
        await asked.when { $0 == 1 }
        let lines = await site.log.when { !$0.isEmpty }
        #expect(lines.count == 1 && lines[0].contains("its app has none"))
        #expect(String(decoding: server.requests[0].body, as: UTF8.self).contains("device-1"))
    }
}

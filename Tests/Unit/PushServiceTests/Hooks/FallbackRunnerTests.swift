import APNS
import Envelope
import HTTP
import Networking
import Platform
import Primitives
import PushStorePattern
import TestSupport
import TestWebServer
import Testing

@testable import PushService
@testable import PushStore

/// Fallbacks from the claim to a provider of text messages, here a local fake.
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

    @discardableResult
    private func arm(
        _ numbers: some Sequence<Int>,
        tenant: String = "acme",
        change: (inout NewEntry) throws -> Void = { _ in }
    ) async throws -> [EntryID] {
        try await site.sent(numbers, tenant: tenant, at: StorePattern.start) { entry in
            entry.fallbackAfter = .seconds(1)
            try change(&entry)
        }
    }

    /// Calls the store from a thread that may block.
    private static func asked<Value: Sendable>(_ call: (@escaping StoreCompletion<Value>) -> Void) throws(StoreError)
        -> Value
    {
        let answer = Monitored<Result<Value, StoreError>?>(nil)
        call { result in answer.change { $0 = result } }
        return try answer.wait { $0 }.get()
    }

    @Test func `a text message's provider gets device, words and id, and nothing else`() async throws {
        let server = try await site.serve { _ in [.answer(body: []), .close] }
        let id = try await arm([1])[0]
        let context = try context(fallback(port: server.port), hooksPort: 1)
        let (runner, _) = runner(context)
        runner.wake()
        try await site.until { try await !site.hooks().isEmpty }
        let apnsID = StorePattern.apnsID(1)
        let request = try #require(server.requests.first)
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"{"id":"\#(apnsID)_fallback","device":"device 1","text":"You have a new message"}"#
        )
        #expect(request.fields["webhook-id"] == "\(apnsID)_fallback")
        #expect(request.isSigned(with: HookSite.secret))
        let hooks = try await site.hooks()
        #expect(hooks.count == 1 && hooks[0].entry == id && hooks[0].kind == .fallback)
        #expect(context.metrics.withLock { $0.fallbacks } == [1, 0, 0] && site.log.value.isEmpty)
    }

    @Test func `a webhook gets which notification it is as well`() async throws {
        let asked = Watched(0)
        let server = try await site.serve { _ in
            asked.change { $0 += 1 }
            return [.answer(body: []), .close]
        }
        try await arm([1])
        let apnsID = StorePattern.apnsID(1)
        let (runner, _) = runner(try context(fallback(.webhook, port: server.port)))
        runner.wake()
        await asked.when { $0 == 1 }
        let text = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
        #expect(text.hasPrefix(#"{"id":"\#(apnsID)_fallback","event":"no-receipt","time":""#))
        #expect(text.contains(#""apns-id":"\#(apnsID)""#) && text.contains(#""device":"device 1""#))
        #expect(text.hasSuffix(#""text":"You have a new message"}"#))
    }

    /// The first call's end; the second is all that comes after it.
    @Test(arguments: ["500 Failed", "429 Slow", "404 None", ""])
    func `what went out is not sent again, whatever the answer`(_ answer: String) async throws {
        let asked = Watched(0)
        let server = try await site.serve { request in
            asked.change { $0 += 1 }
            guard request.number == 0 else { return [.answer(body: []), .close] }
            return answer.isEmpty ? [.cut] : [.answer(answer, body: []), .close]
        }
        try await arm([1])
        let context = try context(fallback(port: server.port), hooksPort: 1)
        let (runner, _) = runner(context)
        runner.wake()
        let lines = await site.log.when { !$0.isEmpty }
        let event = answer.isEmpty ? "fallback-uncertain" : "fallback-failed"
        #expect(lines[0].contains(#""event":"\#(event)","tenant":"acme""#))
        #expect(lines[0].contains(answer.isEmpty ? #""outcome":"lost""# : #""outcome":"status \#(answer.prefix(3))""#))
        let second = try await arm([2])[0]
        runner.wake()
        try await site.until { try await site.hooks().last?.kind == .fallback }
        let hooks = try await site.hooks()
        #expect(server.requests.count == 2 && hooks.last?.entry == second)
        #expect(hooks.map(\.kind) == (answer.isEmpty ? [.fallbackUncertain, .fallback] : [.fallback]))
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
        for start in [1, 501] { try await arm(start..<start + 500) }
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
        runner.wake()
        await isOver.when { $0 }
        #expect(site.log.value.isEmpty)
        await runner.drained()
        #expect(sent.value.count == 1_000 && Set(sent.value).count == 1_000)
        await server.close()
    }

    @Test func `while there is no connection it is tried again`() async throws {
        let dead = try HeldPort.deaf()
        let server = try await site.serve { _ in [.answer(body: []), .close] }
        try await arm([1])
        let context = try context(fallback(port: dead.number), hooksPort: 1)
        var patience = FallbackRunner.Patience()
        patience.firstWaitMilliseconds = 1
        patience.wholeMilliseconds = 3_600_000
        // The provider is back at the third lookup.
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
        runner.wake()
        await lookups.when { $0 >= 3 }
        context.replaceSettings(
            try site.settings(["acme": site.webhook(port: 1)], fallback: try named(server.port))
        )
        try await site.until { try await !site.hooks().isEmpty }
        #expect(server.requests.count == 1)
    }

    @Test func `after its time it is given up`() async throws {
        let dead = try HeldPort.deaf()
        try await arm([1])
        var patience = FallbackRunner.Patience()
        patience.wholeMilliseconds = 0
        let (runner, _) = runner(try context(fallback(port: dead.number)), patience: patience)
        runner.wake()
        let lines = await site.log.when { !$0.isEmpty }
        #expect(lines[0].contains("fallback-failed") && lines[0].contains("not reached"))
        await runner.close()
        await runner.drained()
    }

    @Test func `it is on the disk that it is being sent before a byte of it goes out`() async throws {
        let begun = Watched<[Int64?]>([])
        let server = try await site.serve { [store = site.store] _ in
            let count = try? Self.asked { completion in
                store.read(
                    { reader throws(StoreError) in
                        try reader.sql("SELECT count(*) FROM fallback WHERE state = 2").first([]) { $0.integer(0) }
                    },
                    completion: completion
                )
            }
            begun.change { $0.append(count ?? nil) }
            return [.answer(body: []), .close]
        }
        try await arm([1])
        let (runner, _) = runner(try context(fallback(port: server.port)))
        runner.wake()
        #expect(await begun.when { !$0.isEmpty } == [1])
    }

    @Test func `a receipt that comes before the first byte calls it off`() async throws {
        let server = try await site.serve { _ in [.answer(body: []), .close] }
        let first = try await arm([1])[0]
        let named = FallbackConfiguration(
            kind: .sms,
            delivery: site.webhook(port: server.port, host: "localhost"),
            afterSeconds: 60,
            text: Self.words
        )
        let context = try context(named, hooksPort: 1)
        let received = Watched<[ReceiptResult?]>([])
        // It is claimed while its name is looked up.
        let way = HookSite.way { [store = site.store] _ in
            let result = try? Self.asked { completion in
                store.write(
                    { writer throws(StoreError) in
                        guard let standing = try writer.standing(first) else { return ReceiptResult.unknown }
                        return try writer.deliver(standing, at: HookSite.now)
                    },
                    completion: completion
                )
            }
            received.change { $0.append(result) }
            return [IPAddress("127.0.0.1")].compactMap { $0 }
        }
        let sender = WebhookSender(loop: site.loop, clock: HookSite.clock, way: way)
        let runner = FallbackRunner(context, sender: sender) {}
        runner.wake()
        #expect(await received.when { !$0.isEmpty } == [.recorded])
        await runner.drained()
        let second = try await arm([2])[0]
        runner.wake()
        try await site.until { try await !site.hooks().isEmpty }
        #expect(try await site.hooks().map(\.entry) == [second])
        #expect(server.requests.count == 1 && site.log.value.isEmpty)
        #expect(context.metrics.withLock { $0.fallbacks } == [1, 0, 0])
    }

    @Test func `draining gives back what was not sent, and says what may have been`() async throws {
        let asked = Watched(0)
        let server = try await site.serve { _ in
            asked.change { $0 += 1 }
            return [.hold]
        }
        try await arm(1...20)
        let context = try context(fallback(port: server.port))
        let all = TenantHooks(context, way: HookSite.way())
        all.fallbacks.wake()
        await asked.when { $0 == 8 }
        await all.drain(patience: .milliseconds(1), grace: .seconds(3_600))
        #expect(try await site.count("SELECT count(*) FROM fallback") == 12)
        let due = "SELECT count(*) FROM fallback WHERE state = 0 AND due <= \(HookSite.now.milliseconds)"
        #expect(try await site.count(due) == 12)
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
        try await arm(1...500, tenant: "slow")
        let settings = try site.settings(["slow": nil], fallback: fallback(port: slow.port))
        let context = site.context(settings)
        let (runner, sender) = runner(context)
        runner.wake()
        await asked.when { $0 == 8 }
        // Another tenant comes behind all of these.
        context.replaceSettings(
            try site.settings(["acme": site.webhook(port: 1)], fallback: fallback(port: quick.port))
        )
        try await arm(501...540)
        runner.wake()
        try await site.until { try await site.hooks().count == 40 }
        #expect(try await site.count("SELECT count(*) FROM fallback WHERE state > 0") == 16 && asked.value == 8)
        await runner.close()
        await runner.stop()
        await sender.stop()
        await runner.drained()
        #expect(try await site.count("SELECT count(*) FROM fallback") == 492)
    }

    @Test func `the device says of which environment the app is`() async throws {
        let asked = Watched<[String]>([])
        let server = try await site.serve { request in
            asked.change { $0.append(String(decoding: request.body, as: UTF8.self)) }
            return [.answer(body: []), .close]
        }
        let registration = Device.Registration(
            key: DeviceKey(tenant: try TenantID("acme"), device: try StorePattern.device(1)),
            topic: try StorePattern.topic(),
            environment: .sandbox,
            token: try StorePattern.token(1),
            bundle: []
        )
        _ = try await site.store.put([registration], now: HookSite.now)
        try await arm([1])
        let settings = try site.settings(
            ["acme": nil],
            fallback: fallback(port: server.port, text: "production"),
            sandboxFallback: fallback(port: server.port, text: "sandbox")
        )
        let (runner, _) = runner(site.context(settings))
        runner.wake()
        let texts = await asked.when { !$0.isEmpty }
        #expect(texts.count == 1 && texts[0].contains("sandbox"))
    }

    @Test func `a call's topic is its app's, and an app without a fallback sends none`() async throws {
        let asked = Watched(0)
        let server = try await site.serve { _ in
            asked.change { $0 += 1 }
            return [.answer(body: []), .close]
        }
        try await arm([2]) { $0.topic = try Topic("com.example.other") }
        try await arm([1]) { entry in
            (entry.topic, entry.pushType) = (try Topic("com.example.chat.voip"), .voip)
        }
        let (runner, _) = runner(try context(fallback(port: server.port)))
        runner.wake()
        await asked.when { $0 == 1 }
        let lines = await site.log.when { !$0.isEmpty }
        #expect(lines.count == 1 && lines[0].contains("its app has no fallback"))
        #expect(String(decoding: server.requests[0].body, as: UTF8.self).contains("device 1"))
    }
}

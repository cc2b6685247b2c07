import APNS
import APNSSimulator
import Envelope
import Glibc
import Platform
import Primitives
import PushService
import PushStore
import TestSupport
import TestWebServer
import Testing

/// The service's promises, kept by the running process.
struct PromiseTests {
    @Test func `a receipt makes a notification delivered, and the tenant is told, signed`() async throws {
        let told = AsyncStream.makeStream(of: TestWebServer.Request.self)
        let site = try await ServiceSite(app: #""receipts": true,"#) { told.continuation.yield($0) }
        let service = try site.start()
        try await site.register("d1", at: service)
        let capability = try #require(ReceiptCapability(rawRepresentation: Array(1...16)))
        let hash = ReceiptHash(of: capability).text
        let sent = try service.send(["d1"], class: "urgent", more: #", "receipt-hash": "\#(hash)""#)
        #expect(sent.status == 202, "\(sent.body)")
        let id = try #require(sent.ids.first)
        await site.board.when { $0.answered.contains(id) }
        let receipts = #"{"receipts": [{"capability": "\#(capability.text)", "code": "opened"}]}"#
        #expect(try service.call("POST", "/v1/receipts", body: receipts).status == 204)
        var requests = told.stream.makeAsyncIterator()
        let request = try #require(await requests.next())
        let limits = JSONParser.Limits(byteCountMax: 10_000, depthMax: 4, allowsFractions: false)
        let event = try JSONParser.parse(request.body, limits: limits)
        #expect(event["event"]?.string == "delivered" && event["apns-id"]?.string == "\(id)")
        let text = Array(ServiceSite.secret.utf8)
        guard let secret = unsafe WebhookSecret.decode(text.span.bytes) else { throw NoSecret() }
        let (name, time) = (request.fields["webhook-id"] ?? "", request.fields["webhook-timestamp"] ?? "")
        let expected = WebhookSignature.value(
            name,
            unixSeconds: Int64(time) ?? 0,
            body: request.body,
            secret: secret
        )
        #expect(request.fields["webhook-signature"] == expected)
        try await service.until { try service.state(id) == "delivered" }
        #expect(service.stop() == 0)
    }

    @Test func `a caller's trace is in log, state and event, also after a kill`() async throws {
        let told = AsyncStream.makeStream(of: TestWebServer.Request.self)
        let site = try await ServiceSite(app: #""receipts": true,"#) { told.continuation.yield($0) }
        var service = try site.start()
        try await site.register("d1", at: service)
        let capability = try #require(ReceiptCapability(rawRepresentation: Array(1...16)))
        let hash = #", "receipt-hash": "\#(ReceiptHash(of: capability).text)""#
        let body = RunningService.notification(to: ["d1"], class: "urgent", more: hash)
        let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let sent = try service.call("POST", "/v1/notifications", body: body, fields: ["Traceparent: \(traceparent)"])
        let id = try #require(sent.ids.first, "\(sent.body)")
        try await service.until { try service.state(id) == "accepted" }
        let line = try #require(service.process.lines(to: "attempt").last)
        #expect(DaemonProcess.value("traceparent", in: line) == traceparent)
        service.kill()
        service = try site.start()
        let state = try service.call("GET", "/v1/notifications/\(id)").json
        #expect(state?["traceparent"]?.string == traceparent)
        let receipts = #"{"receipts": [{"capability": "\#(capability.text)", "code": "opened"}]}"#
        #expect(try service.call("POST", "/v1/receipts", body: receipts).status == 204)
        var requests = told.stream.makeAsyncIterator()
        let request = try #require(await requests.next())
        let limits = JSONParser.Limits(byteCountMax: 10_000, depthMax: 4, allowsFractions: false)
        #expect(try JSONParser.parse(request.body, limits: limits)["traceparent"]?.string == traceparent)
        #expect(service.stop() == 0)
    }

    @Test func `a fallback fires once, and a service that is killed over it does not fire it again`() async throws {
        let told = AsyncStream.makeStream(of: TestWebServer.Request.self)
        let fallback =
            #""receipts": true, "fallback": {"kind": "sms", "after-seconds": 5, "text": "A new message", HOOK},"#
        let site = try await ServiceSite(app: fallback) { told.continuation.yield($0) }
        var service = try site.start()
        for name in ["d1", "d2"] { try await site.register(name, at: service) }
        var number: UInt8 = 0
        func send(_ name: String) throws -> APNSID {
            number += 1
            let capability = try #require(ReceiptCapability(rawRepresentation: [number] + Array(2...16)))
            let hash = ReceiptHash(of: capability).text
            let answer = try service.send([name], class: "urgent", more: #", "receipt-hash": "\#(hash)""#)
            return try #require(answer.ids.first, "\(answer.body)")
        }
        var requests = told.stream.makeAsyncIterator()
        var deliveries: [String] = []
        let id = try send("d1")
        while deliveries.last != "\(id)_fallback", let next = await requests.next() {
            deliveries.append(next.fields["webhook-id"] ?? "")
        }
        var armed = id
        repeat {
            armed = try send("d2")
            await site.board.when { [armed] in $0.answered.contains(armed) }
            try await service.until { try service.state(armed) == "accepted" }
            service.kill()
            service = try site.start()
            // It is due after the others: when this one has fired, they would have.
            let last = try send("d2")
            while deliveries.last != "\(last)_fallback", let next = await requests.next() {
                deliveries.append(next.fields["webhook-id"] ?? "")
            }
            // On a slow machine it may have come due before the kill, and a claim is not repeated.
        } while !deliveries.contains("\(armed)_fallback") && number < 20
        #expect(deliveries.contains("\(armed)_fallback"), "what was armed outlives a kill")
        #expect(deliveries.count { $0 == "\(id)_fallback" } == 1, "\(deliveries)")
        #expect(service.stop() == 0)
    }

    @Test func `a service that is killed while a fallback is on its way says so, and does not send it again`()
        async throws
    {
        let told = AsyncStream.makeStream(of: TestWebServer.Request.self)
        let fallback =
            #""receipts": true, "fallback": {"kind": "sms", "after-seconds": 5, "text": "A new message", HOOK},"#
        // On a busy machine the test's own task may come only after the call's deadline.
        let victim = Guarded<pid_t?>(nil)
        let firstKills: TestWebServer.Script = { request in
            guard request.number == 0 else { return [.answer("204 No Content", body: []), .close] }
            if let process = victim.withLock({ $0 }) { _ = kill(process, SIGKILL) }
            return [.hold]
        }
        let site = try await ServiceSite(app: fallback, hook: { told.continuation.yield($0) }, answer: firstKills)
        var service = try site.start()
        let process = service.process.id
        victim.withLock { $0 = process }
        try await site.register("d1", at: service)
        func send(_ number: UInt8) throws -> APNSID {
            let capability = try #require(ReceiptCapability(rawRepresentation: [number] + Array(2...16)))
            let hash = ReceiptHash(of: capability).text
            let answer = try service.send(["d1"], class: "urgent", more: #", "receipt-hash": "\#(hash)""#)
            return try #require(answer.ids.first, "\(answer.body)")
        }
        var requests = told.stream.makeAsyncIterator()
        var bodies: [String] = []
        let first = try send(1)
        while !(bodies.last ?? "").contains(#""id":"\#(first)_fallback""#), let next = await requests.next() {
            bodies.append(String(decoding: next.body, as: UTF8.self))
        }
        #expect(service.process.wait() == -9)
        service = try site.start()
        while !(bodies.last ?? "").contains(#""event":"fallback-uncertain""#), let next = await requests.next() {
            bodies.append(String(decoding: next.body, as: UTF8.self))
        }
        #expect(bodies.last?.contains(#""apns-id":"\#(first)""#) == true)
        #expect(try service.call("GET", "/v1/metrics").body.contains(#"fallbacks_total{outcome="uncertain"} 1"#))
        let second = try send(2)
        while !(bodies.last ?? "").contains(#""id":"\#(second)_fallback""#), let next = await requests.next() {
            bodies.append(String(decoding: next.body, as: UTF8.self))
        }
        #expect(bodies.count { $0.contains(#""id":"\#(first)_fallback""#) } == 1, "\(bodies)")
        #expect(service.stop() == 0)
    }

    @Test func `kill -9 loses nothing that was accepted, and repeats only what was on its way`() async throws {
        var random = SeededRandom(seed: RunSeed.here())
        let site = try await ServiceSite()
        let names = (0..<8).map { "d\($0)" }
        var accepted: Set<APNSID> = []
        var interruptedCount = 0
        for round in 0..<5 {
            let service = try site.start()
            interruptedCount += service.interruptedCount
            if round == 0 { for name in names { try await site.register(name, at: service) } }
            site.board.kill(service.process.id, afterPushes: Int.random(in: 1...20, using: &random))
            while !site.board.seen.isKilled {
                let devices = names.shuffled(using: &random).prefix(Int.random(in: 1...8, using: &random))
                // No answer, no promise: the service died over this one, or is about to.
                guard let answer = try? service.send(Array(devices)), answer.status != 0 else { continue }
                #expect(answer.status == 202, "\(answer.body)")
                #expect(answer.ids.count == devices.count)
                accepted.formUnion(answer.ids)
            }
            #expect(service.process.wait() == -9)
        }
        let last = try site.start()
        interruptedCount += last.interruptedCount
        let promised = accepted
        await site.board.when { $0.answered.isSuperset(of: promised) }
        // This includes seen pushes without a promise: the service may have died before it answered for them.
        try await last.until {
            try promised.union(site.board.seen.counts.keys).allSatisfy { try last.state($0) == "accepted" }
        }
        let seen = site.board.seen
        // The next start found those that waited for their answer at the kill.
        #expect(interruptedCount >= 5)
        #expect(seen.counts.values.reduce(0) { $0 + $1 - 1 } >= 5)
        #expect(try last.needlessRepeats(seen) == [])
        // One message, one apns-id, however often it is sent.
        let ids = Dictionary(grouping: seen.pushes, by: \.trace).mapValues { Set($0.map(\.id)).count }
        #expect(ids.values.allSatisfy { $0 == 1 } && ids[""] == nil)
        #expect(last.stop() == 0)
    }

    @Test func `SIGTERM ends a service whose answers do not come, and the next one sends what had none`() async throws {
        var silent = InjectionRule(.request(.silence(isProcessed: false)))
        silent.after = 2
        silent.count = 3
        let site = try await ServiceSite(limits: #", "drain-seconds": 1"#, rules: [silent])
        let first = try site.start()
        try await site.register("d1", at: first)
        var ids: Set<APNSID> = []
        for _ in 0..<8 { ids.formUnion(try first.send(["d1"]).ids) }
        let promised = ids
        let before = await site.board.when { Set($0.pushes.map(\.id)) == promised }
        // More of them where one of the three has gone out again by now.
        #expect(before.answered.count >= 5)
        try await first.until { try before.answered.allSatisfy { try first.state($0) == "accepted" } }
        #expect(first.stop() == 0)
        let second = try site.start()
        let after = await site.board.when { $0.answered == promised }
        let silenced = after.pushes.filter { !$0.isAnswered }.map(\.id)
        #expect(silenced.count == 3 && silenced.allSatisfy { after.counts[$0] ?? 0 > 1 })
        for id in silenced { #expect(try second.pushCountMax(id) > 1) }
        #expect(try second.needlessRepeats(after) == [])
        #expect(second.stop() == 0)
    }

    @Test func `what Apple does not believe is parked and not hammered, until the mended key is read`() async throws {
        let site = try await ServiceSite(keyPEM: ThrowawayKeys.secondPEM)
        let service = try site.start()
        try await site.register("d1", at: service)
        let first = try #require(try service.send(["d1"]).ids.first)
        var ids: Set<APNSID> = [first]
        _ = service.process.lines(to: "suspended")
        let refusedCount = site.board.seen.rejections.count
        for _ in 0..<20 { ids.formUnion(try service.send(["d1"]).ids) }
        #expect(ids.count == 21)
        try await service.until { try ids.allSatisfy { try service.state($0) == "parked" } }
        #expect(site.board.seen.rejections.count == refusedCount)
        // Once, and again where its answer was lost.
        #expect(try (1...service.pushCountMax(first)).contains(refusedCount))
        _ = try site.folder.makeFile("a.p8", ThrowawayKeys.firstPEM)
        service.process.signal(1)
        let promised = ids
        let seen = await site.board.when { $0.answered == promised }
        #expect(try service.needlessRepeats(seen) == [])
        #expect(service.stop() == 0)
    }

    @Test func `what is beyond the limit gets a 429 that says when, and what was accepted is sent`() async throws {
        let site = try await ServiceSite(limits: #", "in-flight": 16"#, tenant: #""quota-per-day": 50,"#)
        let service = try site.start()
        try await site.register("d1", at: service)
        var ids: Set<APNSID> = []
        var refusedCount = 0
        for _ in 0..<150 {
            let answer = try service.send(["d1"])
            if answer.status == 202 {
                ids.formUnion(answer.ids)
            } else {
                #expect(answer.status == 429 && answer.problem == "quota-exceeded" && answer.retryAfter ?? 0 > 0)
                refusedCount += 1
            }
        }
        // Two days' worth if midnight has passed.
        #expect((50...100).contains(ids.count) && ids.count + refusedCount == 150)
        let promised = ids
        let seen = await site.board.when { $0.answered.isSuperset(of: promised) }
        #expect(try service.needlessRepeats(seen) == [])
        #expect(service.stop() == 0)
    }

    @Test func `what SAP's properties made is repeated behind all else`() async throws {
        var busy = InjectionRule(.request(.rejected(.serviceUnavailable)))
        busy.count = 1
        let limits = #", "server-error-seconds": 1"#
        let site = try await ServiceSite(limits: limits, tenant: #""allows-clear-text": true,"#, rules: [busy])
        let service = try site.start()
        try await site.register("d1", at: service)
        let body = """
            {"topic": "\(ServiceSite.bundleID)", "devices": ["d1"], \
            "notification": {"alert": "Order 7 is ready", "priority": "high"}}
            """
        let answer = try service.call("POST", "/v1/compat/sap", body: body)
        let id = try #require(answer.ids.first, "\(answer.body)")
        await site.board.when { $0.answered.contains(id) }
        try await service.until { try service.state(id) == "accepted" }
        let state = try service.call("GET", "/v1/notifications/\(id)").json
        let attempts = state?["attempts"]?.elements ?? []
        #expect(state?["lane"]?.string == "background")
        #expect(attempts.count { $0["connection"]?.string == "answered" } == 2)
        #expect(service.stop() == 0)
    }
}

private struct NoSecret: Error {}

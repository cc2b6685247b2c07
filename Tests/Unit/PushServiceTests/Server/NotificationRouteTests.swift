import APNS
import Envelope
import HTTP
import Networking
import Platform
import Sealing
import TestSupport
import Testing

@testable import PushService
@testable import PushStore

struct NotificationRouteTests {
    private static let trace = Trace(bytes: Array(1...16))

    private static func hash(_ number: UInt8) throws -> String {
        let bytes = Array(repeating: number, count: 16)
        return ReceiptHash(of: try #require(ReceiptCapability(rawRepresentation: bytes))).text
    }

    @Test func `what is accepted is on the disk, with everything that Apple will see`() async throws {
        try await ServerStage.with { stage in
            try await stage.register("d1")
            try await stage.register("d2", 2, environment: "sandbox")
            let recipients =
                #"{"device":"d1","sealed":"\#(Body.sealed)","trace":"\#(Self.trace.text)","receipt-hash":"\#(try Self.hash(1))"},"#
                + #"{"device":"d2","sealed":"\#(Body.sealed)"}"#
            let body = Body.notification(recipients, #","expiry":3600,"collapse-id":"chat 7""#, class: "urgent")
            let reply = await stage.post(body)
            #expect(reply.status == 202, "\(reply.text)")
            #expect(reply.notifications.map { $0["device"]?.string } == ["d1", "d2"])
            #expect(reply.notifications.first?["trace"]?.string == Self.trace.text)
            #expect(reply.notifications.last?["trace"]?.string?.utf8.count == 22)
            #expect(stage.dispatch.woken.withLock { $0 } == [[.urgent]])

            let answered = Attempt(time: stage.now, connection: .answered, status: 200, uniqueID: "unique")
            let sent = try await stage.finish(.urgent, answered, .accepted)
            #expect(sent.count == 2)
            let entry = try #require(sent.first { $0.entry.device == (try? DeviceID("d1")) })
            #expect(entry.entry.apnsID.description == reply.ids.first)
            #expect(entry.entry.topic.description == "com.example.chat" && entry.entry.pushType == .alert)
            #expect(entry.entry.priority == .immediate && entry.entry.attemptLimit == nil)
            let seconds = ServerStage.start.milliseconds / 1_000 + 3_600
            #expect(entry.entry.expiration == Expiration(unixSeconds: seconds))
            #expect(entry.entry.deadline == Timestamp(milliseconds: seconds * 1_000))
            #expect(Set(sent.map(\.entry.collapseID)).count == 2 && entry.entry.collapseID != nil)
            let field = try SealedField(sealed: Body.sealed, for: .alert)
            let placeholder = try Placeholder(localizationKey: "SP")
            #expect(
                entry.payload
                    == SealedPayload.bytes(field, placeholder: placeholder, trace: Self.trace, pushType: .alert)
            )
            let other = try #require(sent.first { $0.entry.device == (try? DeviceID("d2")) })
            #expect(String(decoding: other.payload, as: UTF8.self).contains("New message"))

            let state = await stage.read("/v1/notifications/" + (reply.ids.first ?? ""))
            #expect(state.string("state") == "accepted" && state.string("apns-unique-id") == "unique")
            #expect(state.string("lane") == "urgent" && state.string("trace") == Self.trace.text)
            #expect(state.json?["status"]?.content == .integer(200))
            #expect(state.json?["attempts"]?.elements?.count == 1)
            #expect(state.json?["attempts"]?.elements?.first?["connection"]?.string == "answered")
        }
    }

    @Test func `what waits for a receipt and a fallback, and what is told, is decided with the device's app`()
        async throws
    {
        try await ServerStage.with { stage in
            try await stage.register("d1")
            try await stage.register("d2", 2, environment: "sandbox")
            let hash = #","receipt-hash":"\#(try Self.hash(2))""#
            func send(_ device: String, _ more: String, class kind: String) async -> ServerStage.Reply {
                let recipient = #"{"device":"\#(device)","sealed":"\#(Body.sealed)"\#(more)}"#
                return await stage.post(Body.notification(recipient, class: kind))
            }
            #expect(await send("d1", hash, class: "urgent").status == 202)
            // Without a capability a fallback would fire each time; a message that is not urgent has none.
            #expect(await send("d1", "", class: "urgent").status == 202)
            #expect(await send("d1", hash, class: "normal").status == 202)
            let watched = try await stage.store.read { reader throws(StoreError) in
                try reader.sql("SELECT fallback_after, receipt_hash, reported FROM watch ORDER BY entry").all([]) {
                    row in
                    (after: row.optionalInteger(0), hash: row.optionalBytes(1), isReported: row.integer(2) == 1)
                }
            }
            #expect(watched.map(\.after) == [90_000, nil, nil])
            #expect(watched.map { $0.hash?.count } == [32, nil, 32] && watched.allSatisfy(\.isReported))
            let off = await send("d2", hash, class: "urgent")
            #expect(off.status == 422 && off.pointers == ["/recipients/0/receipt-hash"])
            #expect(off.text.contains(#"set its \"receipts\" to true"#))
        }
    }

    @Test func `a broadcast is read beside the loop and stored whole, in its order`() async throws {
        try await ServerStage.with { stage in
            let names = (0..<40).map { "d\($0)" }
            for (number, name) in names.enumerated() { try await stage.register(name, number) }
            let recipients = names.map { #"{"device":"\#($0)","sealed":"\#(Body.sealed)"}"# }.joined(separator: ",")
            let reply = await stage.post(Body.notification(recipients, class: "background"))
            #expect(reply.status == 202 && reply.notifications.map { $0["device"]?.string } == names)
            #expect(Set(reply.ids).count == 40)
            let count = try await stage.queuedCount()
            #expect(count == 40 && stage.dispatch.woken.withLock { $0 } == [[.background]])
            var words: Set<CollapseID?> = []
            for name in names {
                let key = DeviceKey(tenant: try TenantID("acme"), device: try DeviceID(name))
                words.formUnion(try await stage.store.entries(device: key, limit: 9).map(\.collapseID))
            }
            #expect(words.count == 40 && !words.contains(nil))
        }
    }

    @Test func `a call goes to the topic of calls, now or never`() async throws {
        try await ServerStage.with { stage in
            try await stage.register(voIP: true)
            let call = try Body.sealedCall()
            let field = String(decoding: call.envelope.sealedField, as: UTF8.self)
            let recipient = #"{"device":"d1","sealed":"\#(field)","trace":"\#(call.trace.text)"}"#
            let reply = await stage.post(Body.notification(recipient, class: "call"))
            #expect(reply.status == 202, "\(reply.text)")
            // In an alert no device would open it.
            let alert = await stage.post(Body.notification(recipient))
            #expect(alert.status == 413, "\(alert.text)")
            let unanswered = Attempt(time: stage.now, connection: .notProcessed)
            let sent = try await stage.finish(.urgent, unanswered, .retry(at: stage.now))
            let entry = try #require(sent.first?.entry)
            #expect(sent.first?.payload == call.payload(placeholder: try Placeholder(localizationKey: "SP")))
            #expect(entry.topic.description == "com.example.chat.voip" && entry.pushType == .voip)
            #expect(entry.expiration == .oneAttempt && entry.collapseID == nil)
            #expect(entry.deadline == ServerStage.start.advanced(by: .seconds(30)))
        }
    }

    @Test func `every recipient that cannot be sent to is named with its reason, and nothing is stored`() async throws {
        try await ServerStage.with { stage in
            try await stage.register("good")
            try await stage.register("aside", 2)
            _ = try await stage.store.quarantine(
                token: DeviceToken(hex: ServerStage.token(2)),
                environment: .production,
                tenant: TenantID("acme")
            )
            try await stage.register("gone", 3)
            _ = try await stage.store.unregister([
                Unregistration(
                    key: DeviceKey(tenant: try TenantID("acme"), device: try DeviceID("gone")),
                    token: try DeviceToken(hex: ServerStage.token(3)),
                    timestamp: ServerStage.start
                )
            ])
            let names = ["good", "absent", "aside", "gone"]
            let recipients = names.map { #"{"device":"\#($0)","sealed":"\#(Body.sealed)"}"# }.joined(separator: ",")
            let reply = await stage.post(Body.notification(recipients))
            #expect(reply.status == 422 && reply.problem == "invalid-fields")
            #expect(reply.pointers == [1, 2, 3].map { "/recipients/\($0)/device" })
            let details = reply.json?["errors"]?.elements?.compactMap { $0["detail"]?.string } ?? []
            for (detail, part) in zip(
                details,
                ["no such device", "does not know the device's token", "the app is gone"]
            ) {
                #expect(detail.contains(part), "\(detail)")
            }
            #expect(reply.string("detail")?.contains("Nothing was stored") == true)
            #expect(try await stage.queuedCount() == 0)
            #expect(stage.dispatch.woken.withLock { $0.isEmpty })
        }
    }

    @Test func `a call to a device without a token for calls is refused`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let recipient = #"{"device":"d1","sealed":"\#(Body.sealedField(.voip))"}"#
            let reply = await stage.post(Body.notification(recipient, class: "call"))
            #expect(reply.pointers == ["/recipients/0/device"] && reply.text.contains("voip-token"))
        }
    }

    @Test func `a record of RFC 8291 has the room of the device's own environment`() async throws {
        try await ServerStage.with { stage in
            try await stage.register(environment: "sandbox")
            let settings = stage.context.settings
            let room = try #require(settings.app(.named("com.example.chat"), environment: .sandbox, of: .named("acme")))
                .webPushRoom
            // No base64url text is one character longer than a multiple of four.
            let count = room % 4 == 1 ? room + 5 : room + 4
            let record = String(repeating: "A", count: count)
            let reply = await stage.post(Body.notification(#"{"device":"d1","webpush":"\#(record)"}"#))
            #expect(reply.status == 413 && reply.problem == "payload-too-large")
            #expect(reply.json?["room"]?.content == .integer(Int64(room)))
            #expect(reply.json?["bytes"]?.content == .integer(Int64(count)))
        }
    }

    @Test func `words in clear get a 422 that explains sealing, and too long a field the exact room`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let clear = await stage.post(
                Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)","body":"canary"}"#)
            )
            #expect(clear.status == 422 && clear.problem == "plain-text" && clear.pointers == ["/recipients/0/body"])
            #expect(clear.text.contains("GET /v1/devices/{id}/bundle") && !clear.text.contains("canary"))
            let long = await stage.post(Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)AAAA"}"#))
            #expect(long.status == 413 && long.json?["room"]?.content == .integer(3_840))
            #expect(long.json?["bytes"]?.content == .integer(3_844))
        }
    }

    @Test func `one key and one body are one notification, after a restart and without the device too`() async throws {
        let folder = try TemporaryFolder()
        let body = Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)"}"#, #","idempotency-key":"k-1""#)
        var first: ServerStage.Reply?
        try await ServerStage.with(folder: folder) { stage in
            try await stage.register()
            first = await stage.post(body)
            let second = await stage.post(body)
            #expect(first?.status == 202 && second.status == 202 && second.body == first?.body)
        }
        try await ServerStage.with(folder: folder) { stage in
            #expect(await stage.post(body).body == first?.body)
            #expect(await stage.manage("DELETE", "/v1/devices/d1").status == 204)
            #expect(await stage.post(body).body == first?.body)
            let other = await stage.post(body + " ")
            #expect(other.status == 409 && other.problem == "idempotency-conflict")
            let count = try await stage.queuedCount()
            #expect(count == 1)
        }
    }

    @Test func `a caller's trace is in the state, and an invalid or repeated one counts as none`() async throws {
        let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        try await ServerStage.with { stage in
            try await stage.register()
            for (values, expected) in [
                ([valid], valid), ([], nil), (["00-4bf9"], nil), (["\u{0}"], nil), ([valid, valid], nil),
                // A request is admitted whatever is there.
                ([String(repeating: "0", count: 8_000)], nil),
            ] as [([String], String?)] {
                let reply = await stage.post(Body.notification(), values.map { ("traceparent", $0) })
                #expect(reply.status == 202, "\(values)")
                let state = await stage.read("/v1/notifications/" + (reply.ids.first ?? ""))
                #expect(state.status == 200 && state.string("traceparent") == expected, "\(values)")
            }
        }
    }

    @Test func `twenty of one key at one time are one notification`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let replies = await withTaskGroup(of: ServerStage.Reply.self) { group in
                for _ in 0..<20 { group.addTask { await stage.post(Body.notification(), [("idempotency-key", "k")]) } }
                return await group.reduce(into: [ServerStage.Reply]()) { $0.append($1) }
            }
            #expect(replies.allSatisfy { $0.status == 202 } && Set(replies.map(\.body)).count == 1)
            #expect(try await stage.queuedCount() == 1)
        }
    }

    @Test func `a quota ends with a 429 until the next day, and a repetition is answered all the same`() async throws {
        try await ServerStage.with(quota: 2) { stage in
            try await stage.register()
            #expect(await stage.post(Body.notification(), [("idempotency-key", "k")]).status == 202)
            // Neither a repetition nor a failed write counts against the quota.
            #expect(await stage.post(Body.notification(), [("idempotency-key", "k")]).status == 202)
            stage.failure = .overloaded
            let busy = await stage.post(Body.notification())
            #expect(busy.status == 429 && busy.problem == "too-many-requests" && busy.fields["retry-after"] == "1")
            stage.failure = nil
            #expect(await stage.post(Body.notification()).status == 202)
            let over = await stage.post(Body.notification())
            #expect(over.status == 429 && over.problem == "quota-exceeded")
            #expect(over.fields["retry-after"] == "86400")
            #expect(await stage.post(Body.notification(), [("idempotency-key", "k")]).status == 202)
            stage.advance(.seconds(86_400))
            #expect(await stage.post(Body.notification()).status == 202)
        }
    }

    @Test(arguments: [
        (StoreError.full, 503, "storage-full"), (.unwritable, 503, "storage-full"), (.broken, 503, "storage-full"),
        (.moved, 503, "storage-full"), (.restored, 503, "storage-full"),
        (.overloaded, 429, "too-many-requests"), (.timedOut, 429, "too-many-requests"),
        (.disconnected, 503, "storage-full"), (.uncertain, 503, "storage-full"),
        (.closed, 503, "draining"), (.failed(operation: .step, code: 10), 500, "internal-error"),
    ])
    func `what the store does not take is said with what can be done`(
        _ example: (error: StoreError, status: Int, problem: String)
    ) async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            stage.failure = example.error
            let reply = await stage.post(Body.notification())
            #expect(reply.status == example.status && reply.problem == example.problem)
            #expect((reply.fields["retry-after"] != nil) == (example.status != 500))
            #expect(stage.log.contains("store-failed") == (example.status == 500))
            // What a disk had taken when it failed may be there after all.
            let isCertain = example.error.effect != .uncertain
            #expect(reply.string("detail")?.hasPrefix("Nothing was stored") == isCertain)
            #expect(reply.string("detail")?.contains("the same idempotency key") == !isCertain)
            #expect(stage.dispatch.woken.withLock { $0.isEmpty })
            stage.failure = nil
            #expect(await stage.post(Body.notification()).status == 202)
        }
    }

    @Test func `whoever waits for the last answer hears of it after the answer, or at once`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let order = Guarded<[String]>([])
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                stage.loop.perform { [application = stage.application] in
                    var fields = HeaderBlock()
                    fields.append(":method", "GET")
                    fields.append(":path", "/v1/devices/d1")
                    fields.append("authorization", Array(("Bearer " + StagedConfiguration.key("acme", .read)).utf8))
                    guard
                        case .read(_, _, let exchange) = application.begin(HTTPHead(fields: fields, remoteAddress: nil))
                    else { return continuation.resume() }
                    application.whenIdle { order.withLock { $0.append("nothing") } }
                    exchange.finish(.whole([]), HTTPResponder { _ in order.withLock { $0.append("answer") } })
                    application.whenIdle {
                        order.withLock { $0.append("idle") }
                        continuation.resume()
                    }
                }
            }
            #expect(order.withLock { $0 } == ["nothing", "answer", "idle"])
        }
    }

    @Test func `while it stops, the service takes nothing new and still answers`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let id = await stage.post(Body.notification()).ids.first ?? ""
            await stage.loop.run { stage.application.drain() }
            let reply = await stage.post(Body.notification())
            #expect(reply.status == 503 && reply.problem == "draining" && reply.fields["retry-after"] == "10")
            #expect(await stage.manage("POST", "/v1/dead-letters/replay", body: #"{"ids":["\#(id)"]}"#).status == 503)
            #expect(await stage.read("/v1/notifications/" + id).string("state") == "queued")
            #expect(await stage.send("GET", "/v1/health").status == 200)
            #expect(await stage.send("GET", "/v1/readiness").problem == "draining")
            #expect(await stage.loop.run { stage.application.openCount } == 0)
        }
    }
}

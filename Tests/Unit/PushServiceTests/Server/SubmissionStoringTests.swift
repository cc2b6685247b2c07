import APNS
import Envelope
import Networking
import Platform
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PushService

struct SubmissionStoringTests {
    private static func recipient(_ device: String) -> String { #"{"device":"\#(device)","sealed":"\#(Body.sealed)"}"# }

    private static func sap(_ device: String) -> String {
        #"{"topic":"com.example.rival","devices":["\#(device)"],"notification":{"alert":"Hi"}}"#
    }

    @Test func `every route offers what it has before it stores it`() async throws {
        try await ServerStage.with { stage in
            for number in 0..<60 { try await stage.register("d\(number)", number) }
            try await stage.register(tenant: "rival")
            let small = await stage.post(Body.notification(Self.recipient("d1")))
            // This body is read beside the loop.
            let large = await stage.post(
                Body.notification((0..<60).map { Self.recipient("d\($0)") }.joined(separator: ","))
            )
            let clear = await stage.send(
                "POST",
                "/v1/compat/sap",
                StagedConfiguration.key("rival", .send),
                body: Self.sap("d1")
            )
            let offered = stage.dispatch.offered.withLock { $0.map { $0.entries.map(\.apnsID.description) } }
            #expect(offered == [small, large, clear].map(\.ids) && offered.map(\.count) == [1, 60, 1])
            #expect(stage.dispatch.woken.withLock { $0 } == [[.normal], [.normal], [.normal]])
        }
    }

    @Test func `what is in clear is handed over too, with the attempts that it may have`() async throws {
        try await ServerStage.with { stage in
            try await stage.register(tenant: "rival")
            stage.dispatch.hasRoom.withLock { $0 = true }
            let key = StagedConfiguration.key("rival", .send)
            let reply = await stage.send("POST", "/v1/compat/sap", key, body: Self.sap("d1"))
            #expect(reply.status == 202, "\(reply.text)")
            let (offer, leases) = try #require(stage.dispatch.stored.withLock { $0.first })
            #expect(offer.bundleID.text == "com.example.rival" && offer.entries.map(\.attemptLimit) == [3])
            let states = try await stage.store.entries(leases.map(\.id), tenant: offer.tenant).map { $0?.state }
            #expect(states == [.sending] && stage.dispatch.woken.withLock { $0.isEmpty })
        }
    }

    @Test(arguments: [false, true])
    func `what was not stored leaves nothing behind that others would wait for`(_ hasRoom: Bool) async throws {
        try await ServerStage.with(quota: 2) { stage in
            try await stage.register()
            stage.dispatch.hasRoom.withLock { $0 = hasRoom }
            stage.failure = .full
            #expect(await stage.post(Body.notification()).status == 503)
            stage.failure = nil
            let first = await stage.post(Body.notification(), [("idempotency-key", "k")])
            let again = await stage.post(Body.notification(), [("idempotency-key", "k")])
            #expect(first.status == 202 && again.body == first.body)
            #expect(await stage.post(Body.notification()).status == 202, "the quota is as if it had been asked twice")
            let offered = stage.dispatch.offered.withLock { $0.map { $0.entries[0].apnsID } }
            let takenBack = stage.dispatch.notQueued.withLock { $0.map(\.apnsID) }
            let notStored = stage.dispatch.notStored.withLock { $0.map { $0.entries[0].apnsID } }
            let lost = [offered[0], offered[2]]
            #expect(takenBack == (hasRoom ? [] : lost) && notStored == (hasRoom ? lost : []))
        }
    }

    @Test func `what loses its shard after it was given room is queued, accepted and counted once`() async throws {
        try await ServerStage.with(quota: 1) { stage in
            try await stage.register()
            stage.dispatch.hasRoom.withLock { $0 = true }
            try await stage.store.giveBack(stage.store.opener)
            let reply = await stage.post(Body.notification())
            #expect(reply.status == 202 && reply.ids.count == 1)
            #expect(stage.dispatch.notStored.withLock { $0.count } == 1)
            #expect(stage.dispatch.stored.withLock { $0.isEmpty })
            #expect(stage.dispatch.woken.withLock { $0 } == [[.normal]])
            #expect(try await stage.queuedCount() == 1)
            #expect(await stage.post(Body.notification()).problem == "quota-exceeded")
        }
    }

    @Test(arguments: [false, true])
    func `an error between two shards is answered with what is stored, and the same key stores the rest`(
        _ isPartial: Bool
    ) async throws {
        try await ServerStage.with(quota: 40) { stage in
            let names = (0..<20).map { "d\($0)" }
            for (number, name) in names.enumerated() { try await stage.register(name, number) }
            // Another relay owns half of the shards. Its first hint comes between two of them.
            let foreign = ShardSet(Shard.all.filter { $0.index.isMultiple(of: 2) })
            try await stage.store.giveBack(stage.store.opener.only(foreign))
            let other = RelayID(high: 1, low: 1)
            _ = try await stage.store.acquire(foreign, for: other, lasting: .seconds(30), now: stage.now)
            let around = stage.around
            stage.store.listen(as: other) { _ in around.failure.withLock { $0 = .full } }
            var recipients = names.map(Self.recipient)
            if isPartial { recipients.append(Self.recipient("unknown")) }
            let body = Body.notification(
                recipients.joined(separator: ","),
                isPartial ? #","partial":true"# : ""
            )
            let key = [("idempotency-key", "k")]
            let cut = await stage.post(body, key)
            #expect(cut.status == 503 && cut.problem == "storage-full")
            #expect(cut.string("detail")?.contains("with the same idempotency key") == true)
            let storedCount = try await stage.queuedCount()
            #expect((1..<20).contains(storedCount) && cut.ids.count == storedCount)
            #expect(stage.dispatch.notQueued.withLock { $0.count } == 20 - storedCount)
            // Refused again, it still says what is stored.
            #expect(await stage.post(body, key).status == 503)
            stage.store.listen(as: other, nil)
            stage.failure = nil
            #expect(await stage.post(body + " ", key).problem == "idempotency-conflict")
            let whole = await stage.post(body, key)
            #expect(whole.status == 202 && Set(cut.ids).isSubset(of: whole.ids))
            #expect(whole.notifications.map { $0["device"]?.string } == names)
            let rejected = whole.json?["rejected"]?.elements?.compactMap { $0["device"]?.string }
            #expect(rejected == (isPartial ? ["unknown"] : nil))
            let again = await stage.post(body, key)
            #expect(again.body == whole.body)
            #expect(try await stage.queuedCount() == 20)
            // Each was counted once.
            #expect(await stage.post(body).status == 202)
            #expect(await stage.post(body).problem == "quota-exceeded")
        }
    }

    @Test func `requests are stored in the order in which they came, those that have room and those that have none`()
        async throws
    {
        try await ServerStage.with { stage in
            try await stage.register()
            let bodies = (0..<40).map { _ in Body.notification(Self.recipient("d1")) }
            let replies = await stage.together(
                "POST",
                "/v1/notifications",
                StagedConfiguration.key("acme", .send),
                bodies: bodies
            )
            #expect(replies.allSatisfy { $0.status == 202 })
            let until = stage.now.advanced(by: .seconds(60))
            let demand = TakeDemand(lane: .normal, limit: 100, now: stage.now, leasedUntil: until)
            let taken = try await stage.store.take(demand).map(\.entry.apnsID.description)
            #expect(taken == replies.flatMap(\.ids))
        }
    }

    @Test func `a quota that runs out in the middle of one turn ends there, to the last notification`() async throws {
        try await ServerStage.with(quota: 5) { stage in
            for number in 0..<8 { try await stage.register("d\(number)", number) }
            let key = StagedConfiguration.key("acme", .send)
            let bodies = (0..<8).map { Body.notification(Self.recipient("d\($0)")) }
            let replies = await stage.together("POST", "/v1/notifications", key, bodies: bodies)
            #expect(replies.map(\.status) == [202, 202, 202, 202, 202, 429, 429, 429])
            #expect(replies[5...].allSatisfy { $0.problem == "quota-exceeded" && $0.fields["retry-after"] != nil })
            #expect(try await stage.queuedCount() == 5)
            #expect(stage.dispatch.offered.withLock { $0.count } == 5, "no room is taken for what has no quota")
        }
    }

    @Test func `of two questions for deliveries in one turn the second is told to come again`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            #expect(await stage.post(Body.notification()).status == 202)
            let key = StagedConfiguration.key("acme", .read)
            let replies = await stage.together("GET", "/v1/devices/d1/deliveries", key, bodies: ["", "", ""])
            #expect(replies.map(\.status) == [200, 429, 429])
            #expect(replies[1...].allSatisfy { $0.fields["retry-after"] == "1" })
            #expect(await stage.read("/v1/devices/d1/deliveries").status == 200)
        }
    }
}

import APNS
import Envelope
import Networking
import Platform
import PushStore
import TestSupport
import Testing

@testable import PushService

struct SubmissionPipelineTests {
    @Test func `where there is room it is stored as on its way and handed over, and nobody rings`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            stage.dispatch.hasRoom.withLock { $0 = true }
            let reply = await stage.post(Body.notification())
            #expect(reply.status == 202, "\(reply.text)")
            let (offer, leases) = try #require(stage.dispatch.stored.withLock { $0.first })
            #expect(offer.entries.map(\.apnsID.description) == reply.ids && leases.count == 1)
            #expect(offer.bundleID.text == "com.example.chat" && offer.devices.count == 1)
            #expect(stage.dispatch.woken.withLock { $0.isEmpty })
            let states = try await stage.store.entries(leases.map(\.id), tenant: offer.tenant).map { $0?.state }
            #expect(states == [.sending])
            #expect(await stage.read("/v1/notifications/" + reply.ids[0]).string("state") == "sending")
        }
    }

    @Test func `a repetition and a conflict give their room and their quota back, and nothing goes out twice`()
        async throws
    {
        try await ServerStage.with(quota: 2) { stage in
            try await stage.register()
            stage.dispatch.hasRoom.withLock { $0 = true }
            let first = await stage.post(Body.notification(), [("idempotency-key", "k")])
            let again = await stage.post(Body.notification(), [("idempotency-key", "k")])
            let other = await stage.post(Body.notification() + " ", [("idempotency-key", "k")])
            #expect(first.status == 202 && again.body == first.body && other.status == 409)
            #expect(
                stage.dispatch.stored.withLock { $0.count } == 1 && stage.dispatch.notStored.withLock { $0.count } == 2
            )
            #expect(await stage.post(Body.notification()).status == 202)
        }
    }

    @Test func `a store that refuses gives its room back`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            stage.dispatch.hasRoom.withLock { $0 = true }
            stage.failure = .full
            #expect(await stage.post(Body.notification()).status == 503)
            #expect(
                stage.dispatch.stored.withLock { $0.isEmpty } && stage.dispatch.notStored.withLock { $0.count } == 1
            )
        }
    }

    @Test func `many at one time are each answered with their own, in few calls`() async throws {
        try await ServerStage.with { stage in
            for number in 0..<20 { try await stage.register("d\(number)", number) }
            stage.dispatch.hasRoom.withLock { $0 = true }
            let replies = await withTaskGroup(of: (Int, ServerStage.Reply).self) { group in
                for number in 0..<20 {
                    let device = number == 7 ? "nobody" : "d\(number)"
                    let body = Body.notification(#"{"device":"\#(device)","sealed":"\#(Body.sealed)"}"#)
                    group.addTask { (number, await stage.post(body)) }
                }
                return await group.reduce(into: [(Int, ServerStage.Reply)]()) { $0.append($1) }
            }
            for (number, reply) in replies {
                #expect(reply.status == (number == 7 ? 422 : 202), "\(number): \(reply.text)")
                guard number != 7 else { continue }
                #expect(reply.notifications.first?["device"]?.string == "d\(number)")
            }
            #expect(stage.dispatch.stored.withLock { $0.count } == 19)
        }
    }
}

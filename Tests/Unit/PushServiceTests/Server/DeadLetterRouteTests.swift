import APNS
import Envelope
import Platform
import PushStore
import TestSupport
import Testing

@testable import PushService

struct DeadLetterRouteTests {
    private static func fill(_ stage: ServerStage, _ count: Int) async throws -> [String] {
        try await stage.register()
        var ids: [String] = []
        for _ in 0..<count {
            ids += await stage.post(Body.notification()).ids
            stage.advance(.milliseconds(2))
        }
        let refused = Attempt(time: stage.now, connection: .answered, status: 400, reason: "BadCollapseId")
        try await stage.finish(.normal, refused, .dead(.rejected))
        return ids
    }

    @Test func `dead letters are listed page by page, the newest first, with what APNs said`() async throws {
        try await ServerStage.with { stage in
            let ids = try await Self.fill(stage, 5)
            var found: [String] = []
            var path = "/v1/dead-letters?limit=2"
            for _ in 0..<4 {
                let page = await stage.manage("GET", path)
                let letters = page.json?["dead-letters"]?.elements ?? []
                found += letters.compactMap { $0["id"]?.string }
                for letter in letters {
                    #expect(letter["dead-reason"]?.string == "rejected" && letter["reason"]?.string == "BadCollapseId")
                    #expect(
                        letter["status"]?.content == .integer(400) && letter["attempt-count"]?.content == .integer(1)
                    )
                }
                guard let next = page.string("next") else { break }
                path = "/v1/dead-letters?limit=2&cursor=" + next
            }
            #expect(found == Array(ids.reversed()))
        }
    }

    @Test func `a dead letter is replayed once, as another notification, and the act is written down`() async throws {
        try await ServerStage.with { stage in
            let ids = try await Self.fill(stage, 2)
            let stranger = APNSID(randomBytes: Array(1...16)).description
            let body = #"{"ids":["\#(ids[0])","\#(stranger)"]}"#
            let reply = await stage.manage("POST", "/v1/dead-letters/replay", body: body)
            #expect(reply.status == 200, "\(reply.text)")
            let rows = reply.json?["replays"]?.elements ?? []
            #expect(rows.map { $0["result"]?.string } == ["replayed", "unknown"])
            let new = try #require(rows.first?["replayed-as"]?.string)
            #expect(new != ids[0])
            #expect(stage.dispatch.woken.withLock { $0.last } == [.normal])
            let note = try #require(stage.dispatch.queued.withLock { $0.first })
            let device = try DeviceID("d1")
            #expect(note.apnsID.description == new && note.device == device && note.lane == .normal)
            #expect(note.deadline == stage.now.advanced(by: .seconds(86_400)))
            #expect(
                stage.dispatch.queued.withLock { $0.count } == 1 && stage.dispatch.notQueued.withLock { $0.isEmpty }
            )
            #expect(await stage.read("/v1/notifications/" + ids[0]).string("replayed-as") == new)
            let state = await stage.read("/v1/notifications/" + new)
            #expect(state.string("state") == "queued")
            // As much time as the first one had.
            let deadline = stage.now.advanced(by: .seconds(86_400)).text
            #expect(state.string("deadline") == deadline)
            let again = await stage.manage("POST", "/v1/dead-letters/replay", body: #"{"ids":["\#(ids[0])"]}"#)
            #expect(again.json?["replays"]?.elements?.first?["replayed-as"]?.string == new)
            #expect(
                stage.dispatch.queued.withLock { $0.count } == 2,
                "it is said before it is known that it was replayed"
            )
            #expect(stage.dispatch.notQueued.withLock { $0 } == stage.dispatch.queued.withLock { [$0[1]] })
            let live = await stage.manage("POST", "/v1/dead-letters/replay", body: #"{"ids":["\#(new)"]}"#)
            #expect(live.json?["replays"]?.elements?.first?["result"]?.string == "not-dead")
            #expect(
                stage.log.contains(
                    #""act":"dead-letter-replay","tenant":"acme","key":"acme-manage","asked":2,"replayed":1"#
                )
            )
        }
    }

    @Test func `a replay that the disk does not take leaves nothing behind that others would wait for`() async throws {
        try await ServerStage.with { stage in
            let ids = try await Self.fill(stage, 2)
            stage.failure = .full
            let body = #"{"ids":["\#(ids[0])","\#(ids[1])"]}"#
            #expect(await stage.manage("POST", "/v1/dead-letters/replay", body: body).status == 503)
            let noted = stage.dispatch.queued.withLock { $0 }
            #expect(noted.count == 2 && stage.dispatch.notQueued.withLock { $0 } == noted)
        }
    }
}

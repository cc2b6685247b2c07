import APNS
import Envelope
import Platform
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PushService

struct AttemptRouteTests {
    private static func attempt(_ stage: ServerStage, _ status: Int, _ reason: String? = nil) -> Attempt {
        Attempt(time: stage.now, connection: .answered, status: status, reason: reason)
    }

    @Test func `every attempt is there with its time, status and reason, also of one that is to be tried again`()
        async throws
    {
        try await ServerStage.with { stage in
            try await stage.register()
            let path = "/v1/notifications/" + (await stage.post(Body.notification()).ids.first ?? "")
            let times = (0..<3).map { stage.now.advanced(by: .seconds(Int64($0) * 30)).text }
            for (status, reason) in [(503, "ServiceUnavailable"), (429, "TooManyRequests")] {
                let next = stage.now.advanced(by: .seconds(30))
                try await stage.finish(.normal, Self.attempt(stage, status, reason), .retry(at: next))
                let state = await stage.read(path)
                #expect(state.string("state") == "queued" && state.string("due") == next.text)
                #expect(state.string("reason") == reason && state.json?["waits-for"] == nil)
                stage.advance(.seconds(30))
            }
            try await stage.finish(.normal, Self.attempt(stage, 200), .accepted)
            let attempts = await stage.read(path).json?["attempts"]?.elements ?? []
            #expect(attempts.map { $0["time"]?.string } == times)
            #expect(attempts.map { $0["status"]?.content } == [503, 429, 200].map { .integer($0) })
            #expect(attempts.map { $0["reason"]?.string } == ["ServiceUnavailable", "TooManyRequests", nil])
        }
    }

    @Test func `of many attempts the first and the last are there, and the count is that of all`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let path =
                "/v1/notifications/"
                + (await stage.post(
                    Body.notification(#"{"device":"d1","sealed":"\#(Body.sealed)"}"#, #","expiry":604800"#)
                ).ids.first ?? "")
            var times: [String] = []
            for _ in 0..<40 {
                times.append(stage.now.text)
                let next = stage.now.advanced(by: .seconds(900))
                try await stage.finish(.normal, Self.attempt(stage, 503, "ServiceUnavailable"), .retry(at: next))
                stage.advance(.seconds(900))
            }
            let state = await stage.read(path)
            let found = state.json?["attempts"]?.elements?.map { $0["time"]?.string }
            #expect(found == [times[0]] + times.suffix(Attempt.lastCountMax))
            #expect(state.json?["attempt-count"]?.content == .integer(40))
        }
    }

    @Test(arguments: [WaitCause.device, .credential, .app, .connection])
    func `what nothing was written of says what it waits for, until its next attempt`(_ cause: WaitCause) async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let path = "/v1/notifications/" + (await stage.post(Body.notification()).ids.first ?? "")
            let until = stage.now.advanced(by: .seconds(60))
            let demand = TakeDemand(lane: .normal, limit: 9, now: stage.now, leasedUntil: until)
            let lease = try #require(try await stage.store.take(demand).first?.lease)
            _ = try await stage.store.markSending([lease], now: stage.now)
            let isParked = cause == .credential || cause == .app
            let outcome = PushStore.Outcome(
                lease: lease,
                attempt: nil,
                verdict: isParked ? .park : .retry(at: until),
                waitCause: cause
            )
            _ = try await stage.store.finish([outcome], now: stage.now)
            let state = await stage.read(path)
            #expect(state.string("waits-for") == cause.word && state.json?["attempts"]?.elements?.isEmpty == true)
            #expect(state.string("state") == (isParked ? "parked" : "queued"))
            stage.advance(.seconds(60))
            if isParked {
                let topic = try Topic("com.example.chat")
                #expect(
                    try await stage.store.release(tenant: TenantID("acme"), topic: topic, limit: 9, now: stage.now) == 1
                )
                #expect(await stage.read(path).json?["waits-for"] == nil, "its turn comes")
            }
            try await stage.finish(.normal, Self.attempt(stage, 200), .accepted)
            #expect(await stage.read(path).json?["waits-for"] == nil)
        }
    }
}

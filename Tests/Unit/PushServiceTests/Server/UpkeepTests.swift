import Envelope
import Networking
import Platform
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PushService

struct UpkeepTests {
    private static let second: Int64 = 1_000_000_000

    @Test func `each job comes in its time, and at once while it leaves something`() {
        var plan = UpkeepPlan()
        #expect(plan.due(now: 0) == UpkeepPlan.Job.allCases)
        for job in UpkeepPlan.Job.allCases { plan.did(job, hasMore: false, now: 0) }
        #expect(plan.due(now: Self.second - 1).isEmpty)
        #expect(plan.due(now: Self.second) == [.expire])
        #expect(plan.due(now: 60 * Self.second) == UpkeepPlan.Job.allCases)
        plan.did(.expire, hasMore: true, now: Self.second)
        #expect(plan.due(now: Self.second) == [.expire])
    }

    @Test func `a failure is told once, and again after a success`() {
        var plan = UpkeepPlan()
        let news = [plan.failed(.purge, now: 0), plan.failed(.purge, now: 1)]
        #expect(news == [true, false])
        plan.did(.purge, hasMore: false, now: 2)
        let isNews = plan.failed(.purge, now: 3)
        #expect(isNews)
        #expect(!plan.due(now: Self.second).contains(.purge))
    }

    @Test func `queues are measured, what is late ends, and what is old is forgotten`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let upkeep = Upkeep(stage.context, quota: stage.quota)
            let ids = await stage.post(Body.notification()).ids
            stage.advance(.seconds(40))
            await Self.run(upkeep, stage)
            let text = await stage.send("GET", "/v1/metrics", StagedConfiguration.key("acme", .metrics)).text
            #expect(text.contains(#"sealedpush_queue_depth{lane="normal"} 1"#))
            #expect(text.contains(#"sealedpush_queue_age_seconds{lane="normal"} 40"#))
            #expect(text.contains(#"sealedpush_accepted_total{topic="com.example.chat",lane="normal"} 1"#))
            stage.advance(.seconds(86_400))
            await Self.run(upkeep, stage)
            #expect(await stage.read("/v1/notifications/" + ids[0]).string("state") == "expired")
            let ended = await stage.send("GET", "/v1/metrics", StagedConfiguration.key("acme", .metrics)).text
            #expect(ended.contains(#"sealedpush_outcomes_total{topic="com.example.chat",reason="Expired"} 1"#))
            stage.advance(.seconds(8 * 86_400))
            await Self.run(upkeep, stage)
            #expect(await stage.read("/v1/notifications/" + ids[0]).status == 404)
        }
    }

    @Test func `the metrics say when a certificate ends, and what the process uses`() async throws {
        try await ServerStage.with { stage in
            stage.context.metrics.withLock { $0.certificatesEnd = 1_800_000_000 }
            let text = await stage.send("GET", "/v1/metrics", StagedConfiguration.key("acme", .metrics)).text
            #expect(text.contains("sealedpush_certificate_end_timestamp_seconds 1800000000\n"))
            func value(_ name: String) -> Double {
                let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
                return line.flatMap { Double($0.dropFirst(name.count + 1)) } ?? -1
            }
            #expect(value("process_cpu_seconds_total") > 0)
            // A process of Swift has more than a megabyte, and a test runner more than two threads and descriptors.
            #expect(value("process_resident_memory_bytes") > 1_000_000)
            #expect(value("process_virtual_memory_bytes") > value("process_resident_memory_bytes"))
            #expect(value("process_threads") > 2)
            #expect(value("process_open_fds") > 2 && value("process_max_fds") > value("process_open_fds"))
            // This file is older than the process, and the process no older than the machine.
            #expect(value("process_start_time_seconds") > 1_700_000_000)
        }
    }

    private static func run(_ upkeep: Upkeep, _ stage: ServerStage) async {
        // It lives as long as the test waits for it, on the loop that it needs.
        await Task(executorPreference: stage.loop) { await upkeep.run() }.value
    }

    @Test func `what was used of a quota is used after a restart`() async throws {
        let folder = try TemporaryFolder()
        try await ServerStage.with(folder: folder, quota: 1) { stage in
            try await stage.register()
            #expect(await stage.post(Body.notification()).status == 202)
            let upkeep = Upkeep(stage.context, quota: stage.quota)
            stage.failure = .full
            await Self.run(upkeep, stage)
            #expect(stage.log.split(separator: "\n").count { $0.contains("upkeep-failed") } == 5)
            stage.failure = nil
            stage.advance(.seconds(60))
            await Self.run(upkeep, stage)
        }
        try await ServerStage.with(folder: folder, quota: 1) { stage in
            #expect(await stage.post(Body.notification()).problem == "quota-exceeded")
        }
    }

    @Test func `that the database's file was taken away is in the log once a job, with what to do`() async throws {
        try await ServerStage.with { stage in
            let upkeep = Upkeep(stage.context, quota: stage.quota)
            stage.failure = .moved
            for _ in 0..<3 {
                stage.advance(.seconds(60))
                await Self.run(upkeep, stage)
            }
            let lines = stage.log.split(separator: "\n").filter { $0.contains("upkeep-failed") }
            #expect(lines.count { $0.contains(#""job":"expire""#) } == 1)
            #expect(lines.contains { $0.contains(#""job":"expire","error":"moved","advice":"the file was moved"#) })
        }
    }

    @Test func `a note that is none of ours counts as none`() {
        let quota = DailyQuota(day: 20_000, used: [.named("acme"): 7, .named("rival"): 0])
        #expect(QuotaTable.decode(QuotaTable.encode(quota)) == quota)
        for text in ["", "{", "[]", "{}", #"{"day":1}"#, #"{"day":1,"used":{"a":-1}}"#, #"{"day":"1","used":{}}"#] {
            #expect(QuotaTable.decode(Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test func `the timer goes on until it is stopped`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            _ = await stage.post(Body.notification())
            let upkeep = Upkeep(stage.context, quota: stage.quota)
            await stage.loop.run { upkeep.start() }
            while try await stage.store.note(QuotaTable.noteName).isEmpty { await Task.yield() }
            await stage.loop.run { upkeep.stop() }
        }
    }
}

import APNS
import APNSProvider
import Envelope
import Networking
import Platform
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import APNSSimulator
@testable import PushService

/// Counting of attempts, the end of one without an outcome, and changes of limits, with a store and a simulator.
struct PutOffTests {
    @Test func `what waits for its busy device uses up no attempt, however often it is put off`() async throws {
        let site = try await DispatchSite(limits: #"{"push-burst-of-device": 1, "pushes-per-minute-of-device": 1}"#)
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        await site.holdNothing(dispatcher)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        var entries = try (1...5).map { try site.entry($0, to: "one") }
        // As on the SAP route.
        for index in entries.indices { entries[index].attemptLimit = 3 }
        let ids = try await site.enqueue(entries, store)
        for count in 1...5 {
            await site.wake(dispatcher)
            // One is out, and the others were put off for a minute.
            while true {
                let found = try await store.entries(ids, tenant: site.tenant).compactMap(\.self)
                try #require(found.allSatisfy { $0.state == .accepted || !$0.state.isFinal })
                let putOff = found.filter { $0.state == .queued && $0.due > site.clock.now && $0.waitCause == .device }
                if found.count(where: { $0.state == .accepted }) == count, putOff.count == 5 - count { break }
                await Task.yield()
            }
            await site.advance(seconds: 60, dispatcher)
        }
        #expect(site.events.pushes == (1...5).map { StorePattern.apnsID($0) })
        for entry in try await store.entries(ids, tenant: site.tenant).compactMap(\.self) {
            #expect(entry.waitCause == nil)
            #expect(entry.attemptCount == 1 && entry.lane == .normal && !entry.maybeDuplicate)
            #expect(try await store.attempts(entry.id, tenant: site.tenant).map(\.status) == [200])
        }
        let counts = await site.loop.run { dispatcher.ledger.todayByApp[DispatchSite.bundleID] }
        #expect(counts?.accepted == 5, "each once")
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `a last attempt that APNs may have taken, and whose answer was lost, ends as that`() async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        await site.inject(.request(.reset(code: 2, isProcessed: true)))
        var last = try site.entry(1, to: "one")
        last.attemptLimit = 1
        // A call: shown twice it would ring twice.
        var call = try site.entry(2, to: "one", lane: .urgent)
        call.collapseID = nil
        var more = try site.entry(3, to: "one")
        more.attemptLimit = 2
        let ids = try await site.enqueue([last, call, more], store)
        await site.wake(dispatcher)
        try await site.until(Array(ids.prefix(2)), store) { $0 == .dead(.outcomeUnknown) }
        while try await store.attempts(ids[2], tenant: site.tenant).count < 1 { await Task.yield() }
        #expect(try await site.states(ids, store)[2] == .queued)
        // With few attempts left it waits in the background lane from now on.
        let lane = Lane.background.index
        #expect(await site.loop.run { dispatcher.flow.waiting[lane].retriesAt } != nil)
        await site.advance(seconds: 900, dispatcher)
        try await site.until(ids, store) { $0 == .dead(.outcomeUnknown) }
        #expect(try await store.attempts(ids[2], tenant: site.tenant).map(\.connection) == [.ambiguous, .ambiguous])
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `a reload's limits hold for what goes out from then on, and the day's counts go on`() async throws {
        let rates = #""push-burst-of-device": 1000, "pushes-per-minute-of-device": 60000"#
        let site = try await DispatchSite(limits: #"{"in-flight": 16, \#(rates)}"#)
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        // A connection takes more than one push at a time after its first success.
        let proof = try await site.enqueue([try site.entry(99, to: "one")], store)
        await site.wake(dispatcher)
        try await site.until(proof, store) { $0 == .accepted }
        await site.inject(.request(.silence(isProcessed: true)))
        _ = try await site.enqueue(try (1...40).map { try site.entry($0, to: "one", lane: .urgent) }, store)
        await site.wake(dispatcher)
        await site.until { site.events.pushes.count == 1 + 16 && dispatcher.flow.inFlight.count == 16 }
        dispatcher.context.replaceSettings(
            try site.settings(limits: #"{"in-flight": 24, "server-error-seconds": 7, \#(rates)}"#)
        )
        try await dispatcher.reload(try site.plan())
        await site.until { site.events.pushes.count == 1 + 24 && dispatcher.flow.inFlight.count == 24 }
        let failed = AttemptResult.answered(status: 503, reason: .serviceUnavailable, timestamp: nil)
        let context = AttemptContext(lane: .normal, attemptCount: 1, deadline: Timestamp(milliseconds: .max))
        let rules = await site.loop.run { dispatcher.rules }
        let again = rules.decide(failed, context, now: Timestamp(milliseconds: 0), jitter: 0.999_999).notification
        #expect(again == .retry(at: Timestamp(milliseconds: 6_999)))
        // The last of them come at the next read of the queue.
        await site.until { dispatcher.ledger.todayByApp[DispatchSite.bundleID]?.accepted == 41 }
        #expect(await site.loop.run { dispatcher.ledger.todayByApp[DispatchSite.bundleID]?.sent } == 1)
        await dispatcher.drain(within: .zero)
        await store.close()
    }

    @Test func `what a client sends again at once is an attempt of its own, in the state and in the log`() async throws
    {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        await site.inject(.request(.rejected(.shutdown)), count: 1)
        let ids = try await site.enqueue([try site.entry(1, to: "one")], store)
        await site.wake(dispatcher)
        try await site.until(ids, store) { $0 == .accepted }
        let attempts = try await store.attempts(ids[0], tenant: site.tenant)
        #expect(attempts.map(\.status) == [503, 200] && attempts.map(\.reason) == ["Shutdown", nil])
        #expect(try await store.entries(ids, tenant: site.tenant)[0]?.attemptCount == 2)
        let lines = site.log.all.filter { $0.contains(#""event":"attempt""#) }
        #expect(lines.count == 2)
        #expect(lines.first?.contains(#""status":503,"reason":"Shutdown""#) == true)
        #expect(lines.first?.contains(#""attempt":1}"#) == true && lines.last?.contains(#""attempt":2}"#) == true)
        let metrics = Self.metrics(dispatcher)
        #expect(metrics.contains(#"sealedpush_outcomes_total{topic="com.example.chat",reason="Shutdown"} 1"#))
        #expect(metrics.contains(#"sealedpush_outcomes_total{topic="com.example.chat",reason="Accepted"} 1"#))
        #expect(metrics.contains(#"sealedpush_sent_total{topic="com.example.chat",lane="normal"} 2"#))
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `each attempt has the time at which it began, also where the client made the next one by itself`()
        async throws
    {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        await site.inject(.request(.rejected(.shutdown)), count: 1)
        let start = site.clock.now
        // The first answer takes five seconds.
        site.events.setHook { event in
            if case .injected = event { site.clock.advance(milliseconds: 5_000) }
        }
        let ids = try await site.enqueue([try site.entry(1, to: "one")], store)
        await site.wake(dispatcher)
        try await site.until(ids, store) { $0 == .accepted }
        let attempts = try await store.attempts(ids[0], tenant: site.tenant)
        #expect(attempts.map(\.time) == [start, start.advanced(by: .seconds(5))])
        site.events.setHook { _ in }
        let ended = (1...3).map {
            EarlierAttempts.Ended(cause: .failure(.refusedStream), time: .init(milliseconds: $0 * 10))
        }
        let times = EarlierAttempts.attempts(ended, from: Timestamp(milliseconds: 3)).map(\.time.milliseconds)
        #expect(times == [3, 10, 20])
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `what a client tries in vain, and then reports, is counted as often as it was written`() async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        await site.inject(.request(.reset(code: 7, isProcessed: false)), count: 2)
        let ids = try await site.enqueue([try site.entry(1, to: "one")], store)
        await site.wake(dispatcher)
        while try await store.attempts(ids[0], tenant: site.tenant).isEmpty { await Task.yield() }
        let attempts = try await store.attempts(ids[0], tenant: site.tenant)
        #expect(attempts.map(\.connection) == [.notProcessed, .notProcessed])
        #expect(attempts.map(\.reason) == ["REFUSED_STREAM", "REFUSED_STREAM"])
        #expect(site.log.count(#""event":"attempt""#) == 2)
        for number in 1...2 {
            #expect(
                site.log.count(#""failure":"NotProcessed","#) == 2 && site.log.count(#""attempt":\#(number)}"#) == 1
            )
        }
        let entry = try #require(try await store.entries(ids, tenant: site.tenant)[0])
        #expect(entry.attemptCount == 2 && !entry.maybeDuplicate && entry.state == .queued && entry.waitCause == nil)
        let metrics = Self.metrics(dispatcher)
        #expect(metrics.contains(#"sealedpush_outcomes_total{topic="com.example.chat",reason="NotProcessed"} 2"#))
        #expect(metrics.contains(#"sealedpush_sent_total{topic="com.example.chat",lane="normal"} 2"#))
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    private static func metrics(_ dispatcher: Dispatcher) -> String {
        let bytes = dispatcher.context.metrics.withLock { metrics in
            var text: [UInt8] = []
            metrics.append(to: &text)
            return text
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

struct ClientReportTests {
    private func report(_ error: ProviderError) -> ClientReport {
        ClientReport(.failure(error), time: Timestamp(milliseconds: 7))
    }

    @Test func `only what was written to APNs is an attempt, and what ends without one says why`() {
        let waited = SendError(cause: .connection(.connectionClosed), attemptCount: 0)
        let refused = SendError(cause: .connection(.connectionClosed), attemptCount: 1)
        for error: ProviderError in [
            .queueFull(countMax: 9), .closed, .notProcessed(waited), .system(.connectionClosed),
        ] { #expect(report(error).attempt == nil && report(error).result == .notWritten, "\(error)") }
        #expect(report(.suspended(.invalidProviderToken)).attempt == nil)
        let takenBack = report(.cancelled(mayHaveBeenSent: false))
        #expect(takenBack.attempt == nil && takenBack.result == .suspended && takenBack.blame == nil)
        #expect(report(.notProcessed(refused)).attempt?.connection == .notProcessed)
        #expect(report(.notProcessed(refused)).result == .notProcessed)
        for error: ProviderError in [.ambiguous(refused), .cancelled(mayHaveBeenSent: true)] {
            #expect(report(error).attempt?.connection == .ambiguous && report(error).result == .ambiguous)
        }
    }

    @Test func `an attempt without an answer says what became of it`() {
        let words: [(RequestFailure, AttemptResult.Failure)] = [
            (.deadlineExceeded, .answerTimeout), (.connection(.deadlineExceeded(.ping)), .pingTimeout),
            (.connection(.connectionLost), .connectionLost), (.reset(code: 2), .streamReset),
            (.malformedResponse, .ambiguous),
        ]
        for (cause, word) in words {
            let report = report(.ambiguous(SendError(cause: cause, attemptCount: 1)))
            #expect(report.failure == word && report.attempt?.reason == word.rawValue)
        }
        #expect(report(.notProcessed(SendError(cause: .refusedStream, attemptCount: 1))).failure == .notProcessed)
        #expect(report(.notProcessed(SendError(cause: .refusedStream, attemptCount: 0))).failure == nil)
    }

    @Test func `what the client did not send says so in the log, with what APNs would have said`() {
        let refused = report(.notSendable(.topicNotOfCertificate))
        #expect(refused.attempt.flatMap(refused.failure) == .notSendable && refused.metric == .notSendable)
        #expect(refused.attempt?.reason == "TopicDisallowed" && refused.reason == nil)
        let nameless = report(.notSendable(.traceMalformed))
        #expect(nameless.attempt.flatMap(nameless.failure) == .notSendable)
        #expect(nameless.attempt?.reason == "NotSendable")
        let early = PushStore.Attempt(time: Timestamp(milliseconds: 1), connection: .notProcessed, reason: "GOAWAY")
        #expect(refused.failure(of: early) == .notProcessed)
    }

    @Test func `of a client that gave up the last attempt that it made is the attempt`() {
        let first = PushStore.Attempt(time: Timestamp(milliseconds: 1), connection: .notProcessed, reason: "GOAWAY")
        let second = PushStore.Attempt(
            time: Timestamp(milliseconds: 2),
            connection: .answered,
            status: 503,
            reason: "Shutdown"
        )
        let lost = SendError(cause: .connection(.connectionClosed), attemptCount: 2)
        for error: ProviderError in [.suspended(.forbidden), .notProcessed(lost), .closed] {
            let report = ClientReport(.failure(error), time: Timestamp(milliseconds: 3), after: [first, second])
            #expect(report.attempt == second && report.earlier == [first], "\(error)")
            #expect(report.told == [first, second] && report.isBesideTold == (report.metric == .suspended), "\(error)")
            #expect(report.failure(of: first) == .notProcessed && report.failure(of: second) == nil, "\(error)")
        }
        let unclear = ClientReport(.failure(.ambiguous(lost)), time: Timestamp(milliseconds: 3), after: [first])
        #expect(unclear.attempt?.connection == .ambiguous && unclear.earlier == [first])
        #expect(unclear.told == [first] && unclear.isBesideTold)
        #expect(
            unclear.failure(of: first) == .notProcessed && unclear.attempt.map(unclear.failure(of:)) == .connectionLost
        )
        #expect(unclear.attempt?.time == Timestamp(milliseconds: 3))
    }
}

import APNS
import HTTP
import Networking
import Testing

@testable import APNSSimulator
@testable import Bench

/// A client's errors after each fault of a working connection, and the server's true acts.
@Suite struct FaultConnectionTests {
    /// Ends of requests 1 … `count`, sent at once, of which the last meets `fault`. After a deadline the server may
    /// still have to read what the client has given up: `areReceived` waits for that.
    private func meet(
        _ fault: ConnectionFault,
        isProcessed: Bool = false,
        with others: [RequestFault] = [],
        limits: HTTP2ClientLimits = HTTP2ClientLimits.patient,
        areReceived: Bool = false,
        onEvent: @escaping @Sendable (HTTP2ClientEvent) -> Void = { _ in }
    ) async throws -> (outcomes: [Result<HTTP2Response, TransportError>], entries: [FaultLedger.Entry]) {
        let site = try FaultSite()
        let server = try await site.serve(requests: others + [.connection(fault, isProcessed: isProcessed)])
        let client = try await site.connect(to: server, limits: limits, onEvent: onEvent)
        let numbers = 0..<others.count + 1
        let outcomes = await client.outcomes(numbers)
        while areReceived {
            let ledger = await server.ledger()
            if numbers.allSatisfy({ ledger[FaultSite.id($0)].receivedCount > 0 }) { break }
        }
        await client.close(gracefully: false)
        let ledger = await server.ledger()
        #expect(ledger.protocolErrorCount == 0 && ledger.streamExcessCount == 0)
        await server.close()
        return (outcomes, numbers.map { ledger[FaultSite.id($0)] })
    }

    /// Processed and unanswered, received only, and the one that brings the GOAWAY.
    private static let inFlight: [RequestFault] = [.silence(isProcessed: true), .silence(isProcessed: false)]

    @Test func `streams beyond a goaway's last one were not processed, the others are waited for`() async throws {
        let goAway = FaultGoAway(cut: .processed, cutDelay: .milliseconds(5))
        let (outcomes, entries) = try await meet(.goAway(goAway), with: Self.inFlight)
        #expect(
            outcomes.map(\.error).dropFirst() == [.notProcessed(.goAway(code: 0)), .notProcessed(.goAway(code: 0))]
        )
        #expect(outcomes[0].error == .ambiguous(.connection(.connectionLost)))
        #expect(entries.map(\.processedCount) == [1, 0, 0])
        #expect(entries.map(\.refusedCount) == [0, 1, 1])
    }

    @Test func `a goaway may name stream 0, and then nothing was processed`() async throws {
        let (outcomes, entries) = try await meet(.goAway(FaultGoAway(cut: .processed)))
        #expect(outcomes.map(\.error) == [.notProcessed(.goAway(code: 0))])
        #expect(entries == [.init(receivedCount: 1, refusedCount: 1)])
    }

    @Test func `a goaway in the middle of those in flight parts them`() async throws {
        let goAway = FaultGoAway(cut: .middle, cutDelay: .milliseconds(5))
        let (outcomes, entries) = try await meet(
            .goAway(goAway),
            with: [.silence(isProcessed: true)] + Array(repeating: .silence(isProcessed: false), count: 4)
        )
        #expect(outcomes.map(\.isNotProcessed) == [false, false, false, true, true, true])
        #expect(entries.map(\.refusedCount) == [0, 0, 0, 1, 1, 1])
    }

    @Test(arguments: [FaultGoAway.Cut.received, .above], [nil, Duration.milliseconds(3)])
    func `a goaway that takes all in flight lets them end, once or twice said`(
        _ cut: FaultGoAway.Cut,
        _ gracefulDelay: Duration?
    ) async throws {
        let goAway = FaultGoAway(cut: cut, gracefulDelay: gracefulDelay)
        let (outcomes, entries) = try await meet(
            .goAway(goAway),
            with: [.slow(.milliseconds(10)), .slow(.milliseconds(1))]
        )
        #expect(outcomes.map(\.status) == [200, 200, 200])
        #expect(entries.map(\.processedCount) == [1, 1, 1])
    }

    @Test(arguments: [
        (FaultGoAway.DebugData.reason(.shutdown), 21), (.notJSON, 34), (.large, 16_376), (.none, 0),
    ])
    func `a goaway's code and debug data reach the client`(_ data: FaultGoAway.DebugData, _ byteCount: Int) async throws
    {
        let events = Recorder<HTTP2ClientEvent>()
        let goAway = FaultGoAway(code: 11, cut: .processed, debugData: data)
        let (outcomes, _) = try await meet(.goAway(goAway), onEvent: events.record)
        #expect(outcomes.map(\.error) == [.notProcessed(.goAway(code: 11))])
        let told = events.all.compactMap { event in
            if case .goAway(let last, let code, let data) = event { (last, code, data.count) } else { nil }
        }
        #expect(told.count == 1 && told.allSatisfy { $0 == (0, 11, byteCount) })
    }

    @Test(arguments: [true, false])
    func `a connection that is reset leaves what was sent ambiguous, processed or not`(_ isProcessed: Bool) async throws
    {
        for fault in [ConnectionFault.reset, .cut] {
            let (outcomes, entries) = try await meet(fault, with: [.silence(isProcessed: isProcessed)])
            #expect(outcomes.map(\.error) == Array(repeating: .ambiguous(.connection(.connectionLost)), count: 2))
            #expect(entries.map(\.processedCount) == [isProcessed ? 1 : 0, 0])
        }
    }

    @Test func `a connection that says goodbye to TLS only leaves what was sent ambiguous`() async throws {
        let (outcomes, entries) = try await meet(.close)
        #expect(outcomes.map(\.error) == [.ambiguous(.connection(.connectionClosed))])
        #expect(entries.map(\.processedCount) == [0])
    }

    @Test func `an alert and a record that does not decrypt leave what was sent ambiguous`() async throws {
        let (alerted, _) = try await meet(.alert)
        guard case .ambiguous(.connection(.tls(.alert)))? = alerted[0].error else {
            Issue.record("\(alerted[0])")
            return
        }
        let (corrupted, _) = try await meet(.corruptRecord)
        #expect(corrupted.map(\.error) == [.ambiguous(.connection(.tls(.tampered)))])
    }

    @Test func `a blackhole is ambiguous when the deadline has passed`() async throws {
        var limits = HTTP2ClientLimits.patient
        limits.requestDeadline = .milliseconds(50)
        let (outcomes, entries) = try await meet(
            .blackhole,
            isProcessed: true,
            with: Self.inFlight,
            limits: limits,
            areReceived: true
        )
        #expect(outcomes.map(\.error) == Array(repeating: .ambiguous(.deadlineExceeded), count: 3))
        #expect(entries.map(\.processedCount) == [1, 0, 1])
    }

    @Test func `a server that does not read for a while is waited for`() async throws {
        let (outcomes, _) = try await meet(.deaf(for: .milliseconds(20)))
        #expect(outcomes.map(\.status) == [200])
    }

    @Test(arguments: [
        FaultSettings.streams(1, refusesRest: false), .noStreams(for: .milliseconds(10)),
        .windowShut(for: .milliseconds(10)), .noHeaderTable, .storm(count: 40),
    ])
    func `settings that change in flight are followed, and nothing is lost`(_ settings: FaultSettings) async throws {
        let site = try FaultSite()
        let server = try await site.serve(
            connections: [.init(streamCountMax: 5)],
            requests: [.slow(.milliseconds(5)), .connection(.settings(settings), isProcessed: true)]
        )
        let client = try await site.connect(to: server)
        let outcomes = await client.outcomes(0..<100)
        #expect(outcomes.map(\.status) == Array(repeating: 200, count: 100))
        let ledger = await server.ledger()
        #expect(ledger.entries.count == 100)
        #expect(ledger.streamExcessCount == 0 && ledger.protocolErrorCount == 0)
        await client.close()
        await server.close()
    }

    @Test func `a lowered limit may refuse what is in flight above it`() async throws {
        let (outcomes, entries) = try await meet(
            .settings(.streams(0, refusesRest: true)),
            with: [.slow(.milliseconds(5))]
        )
        #expect(outcomes[0].status == 200)
        #expect(outcomes[1].error == .notProcessed(.refusedStream))
        #expect(entries.map(\.processedCount) == [1, 0])
    }

    @Test func `a server that allows no stream at first is waited for`() async throws {
        let site = try FaultSite()
        let server = try await site.serve(connections: [
            .init(
                streamCountMax: 0,
                faults: [.init(after: .milliseconds(5), .settings(.streams(2, refusesRest: false)))]
            )
        ])
        let client = try await site.connect(to: server)
        #expect(await client.outcomes(0..<10).map(\.status) == Array(repeating: 200, count: 10))
        #expect(await server.ledger().streamExcessCount == 0)
        await client.close()
        await server.close()
    }
}

import APNS
import Networking
import Platform
import TestSupport
import Testing

@testable import APNSProvider

struct LegacyGatewayTests {
    private static func index(_ notification: LegacyNotification) -> Int {
        Int(notification.deviceToken.bytes[0]) << 8 | Int(notification.deviceToken.bytes[1])
    }

    @Test(arguments: [LegacyCommand.enhanced, .frame])
    func `a thousand notifications arrive once, in order, and the gateway names each bad one`(
        _ command: LegacyCommand
    ) async throws {
        let site = try LegacySite()
        let bad: Set = [0, 17, 18, 500, 999]
        let service = try await site.serveGateway { notification, _ in
            bad.contains(Self.index(notification)) ? .refuse : .accept
        }
        let outcomes = await site.gateway(service, command).deliver(try LegacyDeliveryTests.batch(1_000))
        #expect(outcomes == (0..<1_000).map { bad.contains($0) ? .refused(.invalidToken) : .accepted })
        let seen = site.seen.withLock { $0 }
        #expect(seen.accepted.map(Self.index) == (0..<1_000).filter { !bad.contains($0) })
        // One for each mistake but the last notification's, which leaves nothing to send, and one for the probe.
        #expect(seen.connectionCount == 5)
    }

    @Test func `a batch takes few writes`() async throws {
        let site = try LegacySite()
        let service = try await site.serveGateway { _, _ in .accept }
        let outcomes = await site.gateway(service).deliver(try LegacyDeliveryTests.batch(1_000))
        #expect(outcomes.allSatisfy { $0 == .accepted })
        let seen = site.seen.withLock { $0 }
        #expect(seen.connectionCount == 1)
        #expect(seen.pieceCount < 100, "1000 notifications came in \(seen.pieceCount) pieces")
    }

    @Test func `a shutdown sends the rest elsewhere, and nothing twice`() async throws {
        let site = try LegacySite()
        let service = try await site.serveGateway { _, number in number == 30 ? .shutdown : .accept }
        let outcomes = await site.gateway(service).deliver(try LegacyDeliveryTests.batch(100))
        #expect(outcomes.allSatisfy { $0 == .accepted })
        let seen = site.seen.withLock { $0 }
        #expect(seen.accepted.map(Self.index) == Array(0..<100))
        #expect(seen.connectionCount == 4)
    }

    @Test func `what a cut connection leaves open stays unknown and is not sent again`() async throws {
        let site = try LegacySite()
        let service = try await site.serveGateway { _, number in number == 5 ? .cut : .accept }
        let outcomes = await site.gateway(service).deliver(try LegacyDeliveryTests.batch(10))
        #expect(outcomes.count == 10)
        for outcome in outcomes {
            guard case .unknown(.connection) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
        #expect(site.seen.withLock { $0.accepted.map(Self.index) } == Array(0..<4))
    }

    @Test func `bytes that are no packet leave the connection's notifications unknown`() async throws {
        let site = try LegacySite()
        let service = try await site.serveGateway { _, _ in .babble }
        let outcomes = await site.gateway(service).deliver(try LegacyDeliveryTests.batch(3))
        #expect(outcomes.allSatisfy { $0 == .unknown(.malformedPacket) })
    }

    @Test func `the simple layout is written and closed in order`() async throws {
        let site = try LegacySite()
        let service = try await site.serveGateway { _, _ in .accept }
        let outcomes = await site.gateway(service, .simple).deliver(try LegacyDeliveryTests.batch(50))
        #expect(outcomes.allSatisfy { $0 == .written })
    }

    @Test func `where nobody listens, nothing was sent`() async throws {
        let site = try LegacySite()
        let port = try HeldPort.deaf()
        let service = LegacyService(host: "127.0.0.1", port: port.number)
        let outcomes = await site.gateway(service).deliver(try LegacyDeliveryTests.batch(2))
        #expect(outcomes.allSatisfy { $0 == .notSent(.connection(.connectionRefused)) })
    }

    @Test func `a cancelled batch ends at once`() async throws {
        let site = try LegacySite()
        let port = try HeldPort.silent()
        let gateway = site.gateway(LegacyService(host: "127.0.0.1", port: port.number))
        let batch = try LegacyDeliveryTests.batch(2)
        let task = Task { await gateway.deliver(batch) }
        task.cancel()
        #expect(await task.value.allSatisfy { $0 == .notSent(.connection(.cancelled)) })
    }

    // MARK: Feedback

    private static func tuples(_ count: Int) throws -> [FeedbackTuple] {
        try (0..<count).map {
            FeedbackTuple(time: UInt32($0), deviceToken: try DeviceToken(bytes: [UInt8](repeating: 7, count: 32)))
        }
    }

    private static func bytes(_ tuples: [FeedbackTuple]) -> [UInt8] {
        var bytes: [UInt8] = []
        for tuple in tuples { tuple.append(to: &bytes) }
        return bytes
    }

    private static func read(
        _ site: LegacySite,
        _ service: LegacyService,
        countMax: Int = 1_000_000
    ) async -> LegacyFeedback.List {
        var limits = LegacySite.patient
        limits.feedbackCountMax = countMax
        return await LegacyFeedback(
            service: service,
            context: site.clientContext,
            loop: site.clientLoop,
            limits: limits
        ).read()
    }

    @Test(arguments: [0, 1, 2_000])
    func `the feedback service is read to its end`(_ count: Int) async throws {
        let site = try LegacySite()
        let tuples = try Self.tuples(count)
        let list = await Self.read(site, try await site.serveFeedback(Self.bytes(tuples)))
        #expect(list == LegacyFeedback.List(tuples: tuples, failure: nil))
    }

    @Test func `a list that is cut keeps what came, and says so`() async throws {
        let site = try LegacySite()
        let tuples = try Self.tuples(3)
        let half = Array(Self.bytes(tuples).dropLast(5))
        let orderly = await Self.read(site, try await site.serveFeedback(half))
        #expect(orderly.tuples == Array(tuples.prefix(2)) && orderly.failure == .connection(.connectionLost))
        let cut = await Self.read(site, try await site.serveFeedback(Self.bytes(tuples), isCut: true))
        #expect(cut.tuples == tuples && cut.failure == .connection(.connectionLost))
    }

    @Test func `a list that is none, or too long, ends the visit`() async throws {
        let site = try LegacySite()
        let wrong = await Self.read(site, try await site.serveFeedback([0, 0, 0, 1, 0, 0]))
        #expect(wrong.failure == .malformedFeedback(.tokenByteCountInvalid(0)))
        let long = await Self.read(site, try await site.serveFeedback(Self.bytes(try Self.tuples(9))), countMax: 5)
        #expect(long.failure == .tooManyTuples(countMax: 5) && long.tuples.count >= 5)
    }
}

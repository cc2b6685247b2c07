import APNS
import HTTP
import Networking
import Testing

@testable import APNSSimulator
@testable import Bench

/// A client's errors after each fault of a single request, and the server's true acts.
@Suite struct FaultRequestTests {
    /// One request that meets `fault`, and one after it.
    private func meet(
        _ fault: RequestFault,
        limits: HTTP2ClientLimits = HTTP2ClientLimits.patient,
        then: (Result<HTTP2Response, TransportError>, FaultLedger.Entry) throws -> Void
    ) async throws {
        let site = try FaultSite()
        let server = try await site.serve(requests: [fault])
        let client = try await site.connect(to: server, limits: limits)
        let outcome = await client.outcome(1)
        var next = 2
        var other = await client.outcome(next)
        // The short deadline holds for every request, and a starved machine may miss it.
        while other.error == .ambiguous(.deadlineExceeded) || other.error == .notProcessed(.deadlineExceeded),
            next < 200
        {
            next += 1
            other = await client.outcome(next)
        }
        #expect(other.status == 200, "the connection goes on after \(fault)")
        let ledger = await server.ledger()
        try then(outcome, ledger[FaultSite.id(1)])
        #expect(ledger[FaultSite.id(next)] == .init(receivedCount: 1, processedCount: 1, answers: [200]))
        #expect(ledger.protocolErrorCount == 0 && ledger.streamExcessCount == 0)
        await client.close()
        await server.close()
    }

    @Test func `without a fault the answer is 200, without a body, and names the notification`() async throws {
        try await meet(.slow(.zero)) { outcome, entry in
            let response = try outcome.get()
            #expect(response.status == 200 && response.body.isEmpty)
            #expect(response.headers[HeaderName.id].map(Array.init) == FaultSite.id(1).text)
            #expect(entry == .init(receivedCount: 1, processedCount: 1, answers: [200]))
        }
    }

    @Test func `a refused stream was not processed`() async throws {
        try await meet(.reset(code: 7, isProcessed: false)) { outcome, entry in
            #expect(outcome.error == .notProcessed(.refusedStream))
            #expect(entry == .init(receivedCount: 1, refusedCount: 1))
        }
    }

    @Test(arguments: [UInt32(2), 5, 8], [true, false])
    func `a stream that is reset for another reason is ambiguous, processed or not`(
        _ code: UInt32,
        _ isProcessed: Bool
    ) async throws {
        try await meet(.reset(code: code, isProcessed: isProcessed)) { outcome, entry in
            #expect(outcome.error == .ambiguous(.reset(code: code)))
            #expect(entry.processedCount == (isProcessed ? 1 : 0))
        }
    }

    @Test func `a reset without an error and without an answer is ambiguous`() async throws {
        try await meet(.reset(code: 0, isProcessed: true)) { outcome, entry in
            #expect(outcome.error == .ambiguous(.reset(code: 0)))
            #expect(entry.processedCount == 1)
        }
    }

    @Test func `the head of an answer without its end is ambiguous`() async throws {
        try await meet(.headThenReset(code: 2)) { outcome, entry in
            #expect(outcome.error == .ambiguous(.reset(code: 2)))
            #expect(entry.processedCount == 1 && entry.answers.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `no answer at all is ambiguous when the deadline has passed`(_ isProcessed: Bool) async throws {
        var limits = HTTP2ClientLimits.patient
        limits.requestDeadline = .milliseconds(50)
        try await meet(.silence(isProcessed: isProcessed), limits: limits) { outcome, entry in
            #expect(outcome.error == .ambiguous(.deadlineExceeded))
            #expect(entry.processedCount == (isProcessed ? 1 : 0))
        }
    }

    @Test(arguments: [RequestFault.slow(.milliseconds(20)), .informational, .trailers])
    func `a slow answer, one after a 103 and one with trailers are answers`(_ fault: RequestFault) async throws {
        try await meet(fault) { outcome, entry in
            #expect(outcome.status == 200)
            #expect(entry == .init(receivedCount: 1, processedCount: 1, answers: [200]))
        }
    }

    @Test func `an answer that names another notification, or none, is passed on as it came`() async throws {
        try await meet(.otherID) { outcome, _ in
            let id = try #require(try outcome.get().headers[HeaderName.id])
            #expect(Array(id) != FaultSite.id(1).text && id.count == APNSID.characterCount)
        }
        try await meet(.noID) { outcome, _ in
            let response = try outcome.get()
            #expect(response.headers[HeaderName.id] == nil)
        }
    }

    @Test(arguments: [
        Reason.badDeviceToken, .expiredProviderToken, .unregistered, .payloadTooLarge, .tooManyRequests,
        .internalServerError, .serviceUnavailable, .shutdown,
    ])
    func `a rejection has its status and its reason, and nothing was processed`(_ reason: Reason) async throws {
        try await meet(.rejected(reason)) { outcome, entry in
            let response = try outcome.get()
            #expect(response.status == reason.status)
            let body = RejectionBody(reason, timestampMilliseconds: 1_700_000_000_000)
            #expect(response.body == body.json)
            #expect(entry == .init(receivedCount: 1, answers: [reason.status]))
        }
    }

    @Test func `a rejection byte by byte is one rejection`() async throws {
        try await meet(.rejectedInSingleBytes(.badDeviceToken)) { outcome, _ in
            let response = try outcome.get()
            #expect(response.body == RejectionBody(.badDeviceToken).json)
        }
    }

    @Test(arguments: [FaultBody.empty, .notJSON, .unknownReason], [400, 403, 429, 500, 503])
    func `a body that is none of Apple's leaves the status`(_ body: FaultBody, _ status: Int) async throws {
        try await meet(.rejectedWithBody(status: status, body)) { outcome, _ in
            let response = try outcome.get()
            #expect(response.status == status && response.body == body.bytes)
        }
    }

    @Test func `a reason of one megabyte costs its stream only, and no more memory than allowed`() async throws {
        var limits = HTTP2ClientLimits.patient
        limits.settings.bodyByteCountMax = 4096
        limits.settings.bodyByteCountHardMax = 4096
        try await meet(.rejectedWithBody(status: 400, .hugeReason), limits: limits) { outcome, entry in
            #expect(outcome.error == .ambiguous(.responseTooLarge(byteCountMax: 4096)))
            #expect(entry == .init(receivedCount: 1, answers: [400]))
        }
    }

    @Test func `a reason of one megabyte passes through small windows to a client that wants it`() async throws {
        var limits = HTTP2ClientLimits.patient
        limits.settings.initialWindowByteCount = 2_000
        limits.settings.connectionWindowByteCount = 65_535
        limits.settings.bodyByteCountMax = 2 << 20
        limits.settings.bodyByteCountHardMax = 2 << 20
        try await meet(.rejectedWithBody(status: 400, .hugeReason), limits: limits) { outcome, _ in
            let response = try outcome.get()
            #expect(response.body == FaultBody.hugeReason.bytes)
        }
    }

    @Test func `a body before its head is the connection's end, and ambiguous`() async throws {
        let site = try FaultSite()
        let server = try await site.serve(requests: [.bodyFirst])
        let client = try await site.connect(to: server)
        let outcome = await client.outcome(1)
        guard case .ambiguous? = outcome.error else {
            Issue.record("not ambiguous: \(outcome)")
            return
        }
        #expect(await server.ledger()[FaultSite.id(1)].processedCount == 1)
        await client.close()
        await server.close()
    }
}

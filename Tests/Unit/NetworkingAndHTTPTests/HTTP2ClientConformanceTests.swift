import TestSupport
import Testing

@testable import HTTP
@testable import Networking

/// Our client's reaction to a server that breaks RFC 9113, over real sockets and TLS.
@Suite struct HTTP2ClientConformanceTests {
    /// The list of h2specd, the mode of h2spec that plays the server.
    private static let listed =
        ConformanceCase.framing + ConformanceCase.streamStates + ConformanceCase.data + ConformanceCase.headers
        + ConformanceCase.priority + ConformanceCase.reset + ConformanceCase.settings + ConformanceCase.pingAndGoAway
        + ConformanceCase.windowUpdate + ConformanceCase.continuation

    /// One stream at a time: the second request waits.
    private static let greeting = ConformanceCase.settings(3, 1)

    @Test func `h2specd's 57 cases are met as demanded, of 19 more 18`() {
        #expect(Self.listed.count == 57)
        #expect(Self.listed.allSatisfy { $0.leniency == nil })
        #expect(ConformanceCase.messages.count == 19)
        #expect(ConformanceCase.messages.count { $0.leniency == nil } == 18)
    }

    @Test(arguments: listed + ConformanceCase.messages, ConformanceClient.allCases)
    func `a server that breaks the protocol gets what RFC 9113 says, and each request one ending`(
        _ test: ConformanceCase,
        _ client: ConformanceClient
    ) async throws {
        let loopback = try Loopback()
        let (port, accepted) = try await RecordedChannel.listen(loopback, greeting: Self.greeting)
        async let ended = client.converse(loopback, port)
        var server = ConformanceServer(try #require(await accepted.next()), test)
        let notes = await server.run()
        check(notes, test)
        check(try await ended, notes, test)
    }

    private func check(_ notes: ConformanceServer.Notes, _ test: ConformanceCase) {
        switch test.expected {
        case .connectionError(let codes):
            #expect(codes.map(\.rawValue).contains(notes.goAwayCode), "\(test)")
            #expect(!notes.isSettled, "\(test)")
        case .streamError(let codes):
            #expect(codes.map(\.rawValue).contains(notes.goAwayCode ?? notes.resetCode), "\(test)")
        case .goesOn, .acknowledges, .answersPing:
            #expect(notes.isSettled, "\(test)")
            #expect(notes.goAwayCode == nil && notes.resetCode == nil, "\(test)")
        }
        var pongs: [RawFrame] = []
        if let frame = test.expected.answer {
            #expect(notes.frames.contains(frame), "\(test)")
            if frame.type == 6 { pongs = [frame] }
        }
        #expect(notes.unaskedPongs == pongs, "\(test)")
        // The server's end of the connection closed in order: the client neither vanished nor stayed.
        #expect(notes.end == nil, "\(test)")
    }

    /// Checks the endings: what the server cannot have seen is not processed, what it has seen is ambiguous.
    private func check(
        _ endings: [[ConformanceClient.Ending]],
        _ notes: ConformanceServer.Notes,
        _ test: ConformanceCase
    ) {
        #expect(endings.map(\.count) == [1, 1], "\(test)")
        guard let first = endings.first?.first, let second = endings.last?.last else { return }
        switch test.ending {
        case .answered, .answeredLater: #expect(first == .success(200), "\(test)")
        case .ambiguous: #expect(first.isAmbiguous, "\(test): \(first)")
        }
        guard let code = notes.goAwayCode else {
            #expect(second == .success(200), "\(test)")
            if notes.resetCode == ConformanceCase.ErrorCode.protocolError.rawValue {
                #expect(first == .failure(.ambiguous(.malformedResponse)), "\(test)")
            }
            return
        }
        let failure = RequestFailure.connection(.http2(.violation(code: code)))
        #expect(
            second == .failure(notes.streams.contains(3) ? .ambiguous(failure) : .notProcessed(failure)),
            "\(test)"
        )
        // The server may have reset it before it went too far.
        if test.ending == .ambiguous, !test.resetsFirst {
            #expect(first == .failure(.ambiguous(failure)), "\(test)")
        }
    }

    @Test func `what waits on a connection that was given up is told at once, even if the server stays`() async throws {
        let loopback = try Loopback()
        let (port, accepted) = try await RecordedChannel.listen(loopback, greeting: Self.greeting)
        var limits = HTTP2ClientLimits.patient
        // A test reaches it only by a bug.
        limits.channel.closeDeadline = .seconds(120)
        let client = try await loopback.connect(to: port, limits: limits)
        let peer = try #require(await accepted.next())
        let server = peer.channel
        let requests = (0..<2).map { _ in
            Task(executorPreference: loopback.clientLoop) { try await client.send(.post("/")) }
        }
        // One has been sent; the other waits, or comes too late for that.
        var said: [UInt8] = []
        for await event in peer.events {
            if case .received(let piece) = event { said += piece }
            if RawFrame.parse(Array(said.dropFirst(24))).contains(where: { $0.type == 1 }) { break }
        }
        await server.loop.run {
            server.value.pauseReading()
            // There is room: it has hardly sent anything.
            try? server.value.write(ConformanceCase.ping("a stream", stream: 1))
        }
        let failure = RequestFailure.connection(.http2(.violation(code: 1)))
        await #expect(throws: TransportError.notProcessed(failure)) { try await requests[1].value }
        await #expect(throws: TransportError.notProcessed(failure)) { try await client.send(.post("/")) }
        await server.loop.run { server.value.abort(.cancelled) }
        await #expect(throws: TransportError.ambiguous(failure)) { try await requests[0].value }
    }
}

extension Result<Int, TransportError> {
    fileprivate var isAmbiguous: Bool {
        if case .failure(.ambiguous) = self { true } else { false }
    }
}

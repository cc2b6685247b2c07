import TestSupport
import Testing

@testable import HTTP

/// Our server's reaction to a client that breaks RFC 9113, over real sockets and TLS.
@Suite struct HTTP2ServerConformanceTests {
    private static let all =
        ServerConformanceCase.preface + ServerConformanceCase.framing + ServerConformanceCase.fieldBlocks
        + ServerConformanceCase.streamStates + ServerConformanceCase.streamNumbers + ServerConformanceCase.data
        + ServerConformanceCase.headers + ServerConformanceCase.priority + ServerConformanceCase.reset
        + ServerConformanceCase.pushPromise + ServerConformanceCase.settingsFrames
        + ServerConformanceCase.pingAndGoAway + ServerConformanceCase.windowUpdate
        + ServerConformanceCase.continuation + ServerConformanceCase.framedMessages + ServerConformanceCase.fields
        + ServerConformanceCase.pseudoHeaders

    /// Sections with a server's duties.
    private static let sections = [
        "3.4", "4.1", "4.2", "4.3", "5.1", "5.1.1", "5.1.2", "5.3", "5.4.1", "5.4.2", "5.5", "6.1", "6.2", "6.3", "6.4",
        "6.5", "6.5.2", "6.5.3", "6.6", "6.7", "6.8", "6.9", "6.9.1", "6.9.2", "6.10", "8.1", "8.1.1", "8.2.1", "8.2.2",
        "8.2.3", "8.3", "8.3.1", "8.5",
    ]

    @Test func `every section is there, and no two cases are the same`() {
        #expect(Set(Self.all.map(\.section)) == Set(Self.sections))
        #expect(Set(Self.all.map(\.testDescription)).count == Self.all.count)
    }

    @Test(arguments: all)
    func `a client that breaks the protocol gets what RFC 9113 says (abuse cases 73 and 74)`(
        _ test: ServerConformanceCase
    ) async throws {
        let loopback = try Loopback()
        var limits = HTTP2ServerLimits()
        limits.settings.maxConcurrentStreams = ServerConformanceCase.streamCountMax
        limits.channel = ConformanceClient.patience
        (limits.requestDeadline, limits.responseDeadline, limits.drainDeadline) =
            (.seconds(600), .seconds(600), .seconds(600))
        let server = try await loopback.serve(limits: limits) { request, responder in
            responder.respond(status: 200, body: request.body)
        }
        let notes = try await ServerConformanceClient.run(test, loopback, to: server.port)
        check(notes, test)
        await server.close()
    }

    private func check(_ notes: ServerConformanceClient.Notes, _ test: ServerConformanceCase) {
        // The server's preface is SETTINGS, whatever the client sends (section 3.4).
        if let greeting = notes.greeting { #expect(greeting.type == 4 && greeting.flags == 0, "\(test)") }
        var pongs: [RawFrame] = []
        switch test.expected {
        case .connectionError(let codes):
            #expect(!notes.isSettled, "\(test)")
            guard !codes.isEmpty else { break }
            #expect(codes.map(\.rawValue).contains(notes.goAwayCode), "\(test): \(notes.goAwayCode ?? 0)")
            // It gets the reason, and the connection ends in order (section 5.4.1).
            #expect(notes.end == nil, "\(test)")
        case .streamError(let codes):
            let code = notes.goAwayCode ?? notes.resetCode(of: test.stream)
            #expect(codes.map(\.rawValue).contains(code), "\(test): \(code ?? 0)")
            #expect(notes.goAwayCode != nil || notes.isServed, "\(test)")
        case .goesOn, .acknowledges, .answersPing:
            #expect(notes.isSettled && notes.isServed, "\(test)")
            #expect(notes.goAwayCode == nil && notes.resetStreams.isEmpty, "\(test)")
            guard let frame = test.expected.answer else { break }
            #expect(notes.frames.contains(frame), "\(test)")
            if frame.type == 6 { pongs = [frame] }
        }
        #expect(notes.pongs == pongs, "\(test)")
        // A refused request has no effect (section 8.7), and none is answered twice. After a connection error neither
        // matters.
        if notes.goAwayCode == nil { #expect(notes.answers.sorted() == test.answered.sorted(), "\(test)") }
    }
}

import APNS
import DeviceLink
import HTTP
import Networking
import TestSupport
import Testing

@testable import APNSSimulator

struct ConnectionBehaviourTests {
    /// A connection without a client's habits, and its events.
    private func connect(_ site: Site) async throws -> (HTTP2ClientConnection, Recorder<HTTP2ClientEvent>) {
        let events = Recorder<HTTP2ClientEvent>()
        return (try await connect(site, events), events)
    }

    private func connect(_ site: Site, _ events: Recorder<HTTP2ClientEvent>) async throws -> HTTP2ClientConnection {
        try await HTTP2ClientConnection.connect(
            host: "127.0.0.1",
            port: site.simulator.pushPort,
            context: site.pushContext,
            loop: site.clientLoop,
            limits: .patient,
            onEvent: events.record
        )
    }

    /// One provider token for all: APNs limits its changes.
    private let template = Result { try Request() }

    private func push(to token: String, _ connection: HTTP2ClientConnection) async throws -> Int {
        var request = try template.get()
        request[":path"] = "/3/device/\(token)"
        request["apns-id"] = nil
        return try await connection.send(HTTP2Request(headers: request.headers, body: Array("{}".utf8))).status
    }

    private func end(_ events: Recorder<HTTP2ClientEvent>) async -> [HTTP2ClientEvent] {
        for count in 1... {
            if case .closed = await events.first(count)[count - 1] { break }
        }
        return events.all
    }

    /// As `connect`, with rules that may end the connection before it counts as open.
    private func connectBriefly(_ site: Site) async throws -> (HTTP2ClientConnection?, Recorder<HTTP2ClientEvent>) {
        let events = Recorder<HTTP2ClientEvent>()
        return (try? await connect(site, events), events)
    }

    private static func goAway(_ reason: String, _ events: [HTTP2ClientEvent]) -> Int {
        events.count { event in
            guard case .goAway(_, 0, let debugData) = event else { return false }
            return debugData == Array(#"{"reason":"\#(reason)"}"#.utf8)
        }
    }

    @Test func `a rejection leaves one stream where that is set, and an accepted push restores them`() async throws {
        var rules = ConnectionRules()
        rules.dropsToOneStream = true
        let site = try await Site(rules: rules)
        let device = try await site.device()
        let (connection, events) = try await connect(site)
        let nobody = String(repeating: "cd", count: 32)
        #expect(try await push(to: device.deviceToken.hex, connection) == 200)
        #expect(try await push(to: nobody, connection) == 400)
        #expect(try await push(to: device.deviceToken.hex, connection) == 200)
        _ = await events.first(4)
        let limits: [Int] = events.all.compactMap {
            if case .maxConcurrentStreams(let count) = $0 { count } else { nil }
        }
        #expect(limits == [1, 1000, 1, 1000])
        await connection.close()
        let told = await site.connectionEvents.first(5)
        let number = 1
        #expect(told[0] == .opened(number))
        #expect(
            told[1...3].map { $0 } == [.streamLimit(number, 1000), .streamLimit(number, 1), .streamLimit(number, 1000)]
        )
        #expect(told[4] == .closed(number, ConnectionTally(acceptedCount: 2, rejectedCount: 1, streamCount: 3)))
        await site.simulator.close()
    }

    @Test func `an idle connection gets IdleTimeout, once or twice`() async throws {
        for count in 1...2 {
            var rules = ConnectionRules()
            (rules.idleDeadline, rules.goAwayCount) = (.milliseconds(40), count)
            let site = try await Site(rules: rules)
            let (connection, events) = try await connectBriefly(site)
            let all = await end(events)
            #expect(Self.goAway("IdleTimeout", all) >= 1)
            withExtendedLifetime(connection) {}
            await site.simulator.close()
        }
    }

    @Test func `a connection that has lived long enough gets Shutdown`() async throws {
        var rules = ConnectionRules()
        rules.lifetimeMax = .milliseconds(40)
        let site = try await Site(rules: rules)
        let (connection, events) = try await connectBriefly(site)
        #expect(Self.goAway("Shutdown", await end(events)) == 1)
        withExtendedLifetime(connection) {}
        await site.simulator.close()
    }

    @Test func `a simulator that stops says Shutdown`() async throws {
        let site = try await Site()
        let (connection, events) = try await connect(site)
        await site.simulator.close()
        #expect(Self.goAway("Shutdown", await end(events)) == 1)
        withExtendedLifetime(connection) {}
    }

    @Test func `whoever controls the simulator dismisses a connection with a reason of its own`() async throws {
        let site = try await Site()
        let (connection, events) = try await connect(site)
        #expect(await site.simulator.connectionNumbers() == [1])
        await site.simulator.dismiss(2, reason: "Nobody")
        await site.simulator.dismiss(1, reason: "BadCertificateEnvironment")
        #expect(Self.goAway("BadCertificateEnvironment", await end(events)) == 1)
        #expect(Self.goAway("Nobody", events.all) == 0)
        #expect(await site.connectionEvents.first(3)[1] == .dismissed(1, reason: "BadCertificateEnvironment"))
        withExtendedLifetime(connection) {}
        await site.simulator.close()
    }

    @Test func `too many bad tokens end the connection, and the GOAWAY says what for`() async throws {
        var rules = ConnectionRules()
        (rules.badTokenPercentMax, rules.judgedAnswerCount) = (50, 3)
        let site = try await Site(rules: rules)
        let (connection, events) = try await connect(site)
        for _ in 0..<3 { #expect(try await push(to: String(repeating: "cd", count: 32), connection) == 400) }
        #expect(Self.goAway("BadDeviceToken", await end(events)) == 1)
        #expect(await site.connectionEvents.first(2)[1] == .tooManyErrors(1, .badDeviceToken))
        withExtendedLifetime(connection) {}
        await site.simulator.close()
    }

    @Test func `quick reconnects are turned away until the window has passed`() async throws {
        var rules = ConnectionRules()
        (rules.reconnectCountMax, rules.reconnectWindowSeconds) = (2, 60)
        let site = try await Site(rules: rules)
        for _ in 0..<2 { try await connect(site).0.close() }
        await #expect(throws: TransportError.self) { _ = try await connect(site) }
        site.advance(60)
        try await connect(site).0.close()
        let turnedAway = await site.connectionEvents.first(6).filter { $0 == .turnedAway }
        #expect(turnedAway.count == 1)
        await site.simulator.close()
    }

    @Test(arguments: ConnectionRules.UpperCaseNames.allCases)
    func `a name in upper case ends the connection, or its stream where that is set`(
        _ names: ConnectionRules.UpperCaseNames
    ) async throws {
        var rules = ConnectionRules()
        rules.upperCaseNames = names
        let site = try await Site(rules: rules)
        let raw = RawConversation(site)
        let block: [UInt8] = [0x83, 0x87, 0x84, 0x01, 1, 0x78, 0, 1, 0x58, 1, 0x79]
        let frames = try await raw.say(
            RawFrame.preface + RawFrame.frame(type: 1, flags: 5, stream: 1, block)
        ) { $0.type == 3 || $0.type == 7 }
        #expect(frames.last?.type == (names == .connection ? 7 : 3))
        await site.simulator.close()
    }

    @Test func `the SETTINGS are those that APNs has been seen to send`() async throws {
        let site = try await Site()
        let frames = try await RawConversation(site).say(RawFrame.preface) { $0.type == 4 && $0.flags == 0 }
        let payload = try #require(frames.first?.payload)
        var settings: [UInt8: Int] = [:]
        for start in stride(from: 0, to: payload.count, by: 6) {
            settings[payload[start + 1]] = payload[(start + 2)..<(start + 6)].reduce(0) { $0 << 8 | Int($1) }
        }
        #expect(settings == [1: 4096, 3: 1, 4: 65_535, 5: 16_384, 6: 8000])
        await site.simulator.close()
    }
}

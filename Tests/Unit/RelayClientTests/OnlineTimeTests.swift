import Envelope
import Foundation
import Keys
import NotificationCore
import Opening
import Platform
import TestCertificates
import TestSupport
import TestWebServer
import Testing

@testable import RelayClient

/// The request for the time, from a simulated device to a server over TLS on this machine.
struct OnlineTimeTests {
    private static let host = "time.example.com"
    private static let date = "Sun, 06 Nov 2033 08:49:37 GMT"
    private static let time = Timestamp(milliseconds: 2_014_879_777_000)

    private let authority: TestAuthority
    private let folder: TemporaryFolder
    private let authorityPath: String

    init() throws {
        authority = try TestAuthority()
        folder = try TemporaryFolder()
        authorityPath = try folder.makeFile("ca.pem", String(decoding: authority.certificatePEM, as: UTF8.self))
    }

    private func identity(validity: ClosedRange<Int> = -day...day) throws -> TestAuthority.Identity {
        try authority.issue(names: "DNS:\(Self.host)", validity: validity)
    }

    private func serve(_ lines: [String], status: String = "200 OK") async throws -> TestWebServer {
        let head = ["HTTP/1.1 \(status)"] + lines + ["", ""]
        let bytes = Array(head.joined(separator: "\r\n").utf8)
        return try await TestWebServer.start(identity()) { _ in [.send(bytes), .close] }
    }

    private func device(_ server: TestWebServer, uptime: @escaping @Sendable () -> Uptime = { .ofMachine })
        -> SimulatedDevice
    {
        SimulatedDevice(
            appGroupsPath: nil,
            clock: ContinuousClock(),
            // `Timestamp.now` would read this device.
            wallClock: { UInt64(Date().timeIntervalSince1970 * 1_000) },
            uptime: uptime,
            hosts: [
                SimulatedDevice.HostMapping(
                    host: Self.host,
                    port: 443,
                    actualHost: "127.0.0.1",
                    actualPort: server.port,
                    authoritiesPath: authorityPath
                )
            ]
        )
    }

    private func ask(_ server: TestWebServer) async -> Result<Timestamp, RelayClientError> {
        let task = device(server).bind {
            Task { () -> Result<Timestamp, RelayClientError> in
                do throws(RelayClientError) { return .success(try await OnlineTime.ask("https://\(Self.host)/")) } catch
                {
                    return .failure(error)
                }
            }
        }
        return await task.value
    }

    @Test func `the time is the date of the answer's head, asked for past every cache`() async throws {
        let server = try await serve(["Date: \(Self.date)", "Content-Length: 1000"])
        #expect(await ask(server) == .success(Self.time))
        let asked = try #require(server.requests.first)
        #expect(asked.method == "HEAD" && asked.fields["cache-control"] == "no-cache" && server.requests.count == 1)
    }

    @Test(arguments: ["404 Not Found", "503 Service Unavailable", "301 Moved Permanently"])
    func `whatever the answer's status, and a redirect is not followed`(_ status: String) async throws {
        let server = try await serve(
            ["Date: \(Self.date)", "Location: https://time.example.com/elsewhere"],
            status: status
        )
        #expect(await ask(server) == .success(Self.time))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        [], ["Date:"], ["Date: now"], ["Date: 2014879777"], ["Date: Sunday, 06-Nov-33 08:49:37 GMT"],
        ["Date: \(date)", "Date: Sun, 06 Nov 2033 08:49:38 GMT"],
    ])
    func `an answer without one date is no answer`(_ lines: [String]) async throws {
        #expect(await ask(try await serve(lines)) == .failure(.wrongAnswer))
    }

    @Test(arguments: [["Age: 0"], ["Age: 86400"], ["Age:"], ["Age: 1", "Age: 2"]])
    func `an answer that a cache gave is none, however it says so`(_ lines: [String]) async throws {
        #expect(await ask(try await serve(["Date: \(Self.date)"] + lines)) == .failure(.wrongAnswer))
    }

    @Test(arguments: [-2 * day ... -day, day...2 * day])
    func `a certificate that is not valid by the device's clock is told from one that is not the server's`(
        _ validity: ClosedRange<Int>
    ) async throws {
        let server = try await TestWebServer.start(identity(validity: validity)) { _ in
            [.answer("200 OK", ["Date": Self.date]), .close]
        }
        #expect(await ask(server) == .failure(.certificateHasBadDate))
        #expect(server.requests.isEmpty)
    }

    @Test func `a server of another name or authority is not trusted`() async throws {
        let strangers = [
            try authority.issue(names: "DNS:other.example.com"),
            try TestAuthority(name: "Another authority").issue(names: "DNS:\(Self.host)"),
        ]
        for stranger in strangers {
            let server = try await TestWebServer.start(stranger) { _ in
                [.answer("200 OK", ["Date": Self.date]), .close]
            }
            #expect(await ask(server) == .failure(.notTrusted))
        }
    }

    @Test(arguments: ["http://time.example.com/", "time.example.com", "https://", ""])
    func `nothing but an https URL is asked`(_ url: String) async throws {
        await #expect(throws: RelayClientError.url) { try await OnlineTime.ask(url) }
    }

    @Test func `a device that its network does not lead to a server hears so`() async throws {
        let server = try await serve(["Date: \(Self.date)"])
        let device = device(server)
        let task = device.bind { Task { try await OnlineTime.ask("https://elsewhere.example.com/") } }
        await #expect(throws: RelayClientError.notReached) { try await task.value }
    }

    @Test func `an answer counts that took less than 30 seconds of uptime, and the device goes by it`() async throws {
        for (milliseconds, isBelieved) in [(0, true), (29_999, true), (30_000, false), (86_400_000, false)] {
            let (result, known) = try await confirm(taking: UInt64(milliseconds))
            if isBelieved {
                guard case .confirmed = result else {
                    Issue.record("\(milliseconds): \(result)")
                    continue
                }
                #expect(known.isConfirmed && known.lowerBound == Self.time, "\(milliseconds)")
            } else {
                #expect(result == .tooSlow && !known.isConfirmed && known.lastConfirmed == nil, "\(milliseconds)")
            }
        }
    }

    @Test func `an answer to a question of before a restart does not count`() async throws {
        let (result, known) = try await confirm(taking: 0, restarts: true)
        #expect(result == .tooSlow && !known.isConfirmed)
    }

    @Test func `a time before the software was built is impossible, and changes nothing`() async throws {
        let (result, known) = try await confirm(taking: 0, date: "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(result == .impossible && !known.isConfirmed && known.lastConfirmed == nil)
    }

    /// Confirms the time on a new device, by a server that sends `date` after so many milliseconds of uptime.
    ///
    /// - Returns: the result, and the device's time then.
    private func confirm(
        taking milliseconds: UInt64,
        restarts: Bool = false,
        date: String = Self.date
    ) async throws -> (AppDevice.TimeConfirmation, KnownTime) {
        let uptime = Guarded(Uptime(milliseconds: 1_000, boot: 1))
        let server = try await TestWebServer.start(identity()) { _ in
            uptime.withLock { $0 = Uptime(milliseconds: $0.milliseconds + milliseconds, boot: restarts ? 2 : 1) }
            return [.answer("200 OK", ["Date": date]), .close]
        }
        let place = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: place.path("group"), withIntermediateDirectories: false)
        var settings = AppDevice.Settings(
            topic: try BundleID("com.example.chat"),
            containerPath: place.path("group"),
            privatePath: place.path("private"),
            display: DisplayPolicy(texts: FailureTexts(title: "Chat", newMessage: "New"))
        )
        settings.uptime = { uptime.withLock { $0 } }
        let start = try AppDevice.open(settings)
        guard case .newIdentity(let device) = start else { preconditionFailure("a device of before") }
        let task = self.device(server).bind {
            Task { try await device.confirmTime { try await OnlineTime.ask("https://\(Self.host)/") } }
        }
        let result = try await task.value
        let window = try ReplayWindow(folder: place.path("group")) { uptime.withLock { $0 } }
        return (result, try window.time())
    }
}

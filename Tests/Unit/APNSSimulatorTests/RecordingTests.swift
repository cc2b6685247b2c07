import APNS
import APNSProvider
import DeviceLink
import Networking
import TestSupport
import Testing

@testable import APNSSimulator

struct RecordingTests {
    private static func exchange(_ change: (inout RecordedExchange) -> Void = { _ in }) throws -> RecordedExchange {
        var exchange = RecordedExchange(
            milliseconds: 12,
            unixSeconds: Site.start,
            connection: 1,
            fields: [.init(":method", "POST"), .init(":path", "{path}"), .init("authorization", "{authorization}")],
            path: .device(1),
            authorization: .bearer(
                keyID: try KeyID("ABC123DEFG"),
                teamID: try TeamID("DEF123GHIJ"),
                issuedAt: Site.start - 60
            ),
            bodyByteCount: 25,
            payload: nil,
            answeredID: Request.id,
            outcome: .answered(status: 200, nil)
        )
        change(&exchange)
        return exchange
    }

    static let changes: [@Sendable (inout RecordedExchange) -> Void] = [
        { _ in },
        { $0.path = .stranger(characterCount: 64, isHex: true) },
        { $0.path = .stranger(characterCount: 3, isHex: false) },
        { $0.path = .other(byteCount: 9) },
        { $0.authorization = nil },
        { $0.authorization = .unreadable(byteCount: 7) },
        { $0.payload = [0, 255, 10] },
        { $0.fields.append(.init("x-\"quoted\"", "a\nb \\ ü")) },
        { $0.outcome = .answered(status: 410, .unregistered) },
        { $0.outcome = .injected(.dropped) },
        { $0.outcome = .injected(.request(.rejected(.shutdown))) },
        { $0.outcome = .injected(.request(.connection(.goAway(FaultGoAway(code: 2)), isProcessed: true))) },
    ]

    @Test(arguments: 0..<12)
    func `an exchange that is written and read again is the same, on one line`(_ index: Int) throws {
        let exchange = try Self.exchange(Self.changes[index])
        #expect(!exchange.line.contains(UInt8(ascii: "\n")))
        #expect(try RecordedExchange(line: exchange.line) == exchange)
    }

    @Test(arguments: [
        "at", "received", "connection", "headers", "device", "body-bytes", "apns-id", "status", "kid", "iss", "iat",
    ])
    func `a line without one of its members is refused`(_ member: String) throws {
        let line = String(decoding: try Self.exchange().line, as: UTF8.self)
        let spoiled = line.replacing("\"\(member)\":", with: "\"other\":")
        #expect(spoiled != line)
        #expect(throws: RecordingError.self) { try RecordedExchange(line: Array(spoiled.utf8)) }
    }

    @Test func `a line that ends too early is refused wherever that is`() throws {
        let line = try Self.exchange().line
        for count in 0..<line.count {
            #expect(throws: RecordingError.self) { try RecordedExchange(line: Array(line.prefix(count))) }
        }
    }

    @Test func `a session is recorded without its tokens, with its answers, and readable by its owner only`()
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.path("session.jsonl")
        let site = try await Site(recording: try RecordingFile(path: path, hasPayloads: false))
        let device = try await site.device()
        let client = try site.client()
        let nobody = try DeviceToken(bytes: [UInt8](repeating: 0xCD, count: 32))
        #expect(try await client.send(site.notification(1, to: device.deviceToken)).status == 200)
        #expect(try await client.send(site.notification(2, to: nobody)).status == 400)
        await client.close()
        #expect(await site.simulator.close().recording == nil)

        let text = try Self.contents(path)
        #expect(!text.contains(device.deviceToken.hex) && !text.contains("cdcd") && !text.contains("bearer"))
        #expect(!text.contains("payload") && !text.contains("aps\\\""))
        #expect(try Self.mode(path) == 0o600)
        let lines = try text.split(separator: "\n").map { try RecordedExchange(line: Array($0.utf8)) }
        #expect(lines.map(\.path) == [.device(1), .stranger(characterCount: 64, isHex: true)])
        #expect(lines.map(\.outcome) == [.answered(status: 200, nil), .answered(status: 400, .badDeviceToken)])
        #expect(lines.map(\.connection) == [1, 1])
        let bearer = RecordedExchange.Authorization.bearer(
            keyID: try KeyID("ABC123DEFG"),
            teamID: try TeamID("DEF123GHIJ"),
            issuedAt: Site.start
        )
        #expect(lines.map(\.authorization) == [bearer, bearer])
    }

    @Test func `payloads are recorded where that was asked for`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("session.jsonl")
        let site = try await Site(recording: try RecordingFile(path: path, hasPayloads: true))
        let device = try await site.device()
        let client = try site.client()
        let sent = site.notification(1, to: device.deviceToken)
        _ = try await client.send(sent)
        await client.close()
        await site.simulator.close()
        let line = try #require(try Self.contents(path).split(separator: "\n").first)
        #expect(try RecordedExchange(line: Array(line.utf8)).payload == sent.payload)
    }

    @Test func `a recording is never written over`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.makeFile("session.jsonl", "mine")
        let failure = #expect(throws: RecordingFileError.self) {
            _ = try RecordingFile(path: path, hasPayloads: false)
        }
        #expect(failure?.isFileThere == true)
        #expect(try Self.contents(path) == "mine")
    }

    private static func contents(_ path: String) throws -> String { try TextFileReader.contents(path) }
    private static func mode(_ path: String) throws -> Int { try TextFileReader.mode(path) }
}

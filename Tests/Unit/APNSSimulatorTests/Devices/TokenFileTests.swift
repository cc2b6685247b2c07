import APNS
import APNSProvider
import DeviceLink
import TestSupport
import Testing

@testable import APNSSimulator

struct TokenFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("tokens") }

    init() throws { folder = try TemporaryFolder() }

    private func open(_ environment: APNSEnvironment = .sandbox, tokenByteCount: Int = 32) throws
        -> TokenFile
    {
        try TokenFile(path: path, environment: environment, tokenByteCount: tokenByteCount)
    }

    private var text: String { get throws { try TextFileReader.contents(path) } }

    @Test
    func `a simulator that begins anew knows every token of the one before, and what became of it`()
        async throws
    {
        let authority = try DeviceAuthority()
        let certificate = try authority.enrol()
        let calls = try #require(TokenRegistration(.voip))
        let before = try await Site(deviceAuthority: authority, tokenFile: try open())
        let context = try before.context(of: certificate)
        let device = try await before.device(context: context)
        let voip = try await device.register(calls)
        let gone = try await before.simulator.enrol(before.topic)
        await before.simulator.unregister(gone)
        let old = try await before.device(earlierToken: nil)
        let new = try await before.device(earlierToken: old.deviceToken, arrival: .reinstalled)
        #expect(await before.simulator.close().tokens == nil)

        let site = try await Site(deviceAuthority: authority, tokenFile: try open())
        let client = try site.client()
        #expect(try await client.send(site.notification(1, to: device.deviceToken)).status == 200)
        #expect(try await client.send(TokenKindTests.push(.voip, on: site, to: voip)).status == 200)
        #expect(try await client.send(site.notification(2, to: new.deviceToken)).status == 200)
        for token in [gone, old.deviceToken] {
            #expect(try await client.send(site.notification(3, to: token)).reason == .unregistered)
        }
        // A device without a certificate does not get the token of one with a certificate, even after the restart.
        await #expect(throws: DeviceLinkError.refused(.tokenOfAnotherDevice)) {
            _ = try await site.device(earlierToken: device.deviceToken)
        }
        let back = try await site.device(
            earlierToken: device.deviceToken,
            context: try site.context(of: certificate)
        )
        #expect(back.deviceToken == device.deviceToken)
        #expect(try await back.register(calls) == voip)
        await client.close()
        await site.simulator.close()
    }

    @Test func `a token is on the disk before its device knows it`() async throws {
        let site = try await Site(tokenFile: try open())
        let device = try await site.device()
        let copy = folder.path("copy")
        // The file as a kill at this point leaves it.
        _ = try folder.makeFile("copy", try text)
        let later = try TokenFile(path: copy, environment: .sandbox, tokenByteCount: 32)
        var directory = DeviceDirectory(mint: later.mint)
        directory.restore(later.records)
        #expect(directory.report(on: device.deviceToken)?.status == .active)
        await site.simulator.close()
    }

    @Test
    func `the file is its owner's alone, has no token in it, and belongs to one simulator at a time`()
        async throws
    {
        let site = try await Site(tokenFile: try open())
        let token = try await site.device().deviceToken
        #expect(try TextFileReader.mode(path) == 0o600)
        #expect(try !text.contains(token.hex))
        #expect(throws: TokenFileError.inUse) { _ = try open() }
        await site.simulator.close()
        #expect(try open().records.count == 1)
        _ = try folder.makeFile("tokens", try text, mode: 0o640)
        #expect(throws: TokenFileError.permissionsTooLoose) { _ = try open() }
    }

    @Test func `a line that a crash has cut is gone, and its number is given again`() throws {
        let whole = try filled()
        _ = try folder.makeFile("tokens", whole + "2 app com.example.chat 3 0 7")
        let file = try open()
        #expect(file.records.map(\.number) == [0, 1])
        #expect(try text == whole)
    }

    @Test(arguments: [
        ("0 app", "number of fields"), ("3 app com.example.chat 2 0 7 0 - - active", "number"),
        ("02 app com.example.chat 2 0 7 0 - - active", "number"),
        ("2 fax com.example.chat 2 0 7 0 - - active", "kind"),
        ("2 app a_b 2 0 7 0 - - active", "bundle id"),
        ("2 app com.example.chat 0 0 7 0 - - active", "device"),
        ("2 app com.example.chat 2 65536 7 0 - - active", "generation"),
        ("2 app com.example.chat 2 0 -7 0 - - active", "salt"),
        ("2 app com.example.chat 2 0 7 x - - active", "owner"),
        ("2 app com.example.chat 2 0 7 0 2 - active", "base"),
        ("2 voip com.example.chat 2 0 7 0 1 * active", "instance"),
        ("2 voip com.example.chat 2 0 7 0 - YQ active", "instance"),
        ("2 app com.example.chat 2 0 7 0 - - gone", "status"),
        ("2 app com.example.chat 2 0 7 0 - - expired@", "status"),
        ("0 voip com.example.chat 1 0 5 0 - - active", "registration"), ("", "number of fields"),
    ])
    func `a line that was damaged is named by its number and its field, and nothing is written`(
        _ line: String,
        _ field: String
    ) throws {
        let damaged = try filled() + line + "\n"
        _ = try folder.makeFile("tokens", damaged)
        #expect(throws: TokenFileError.malformed(line: 4, field: field)) { _ = try open() }
        #expect(try text == damaged)
    }

    @Test func `a file of another format, environment or length of tokens is refused`() throws {
        let lines = try filled().split(separator: "\n").map(String.init)
        #expect(throws: TokenFileError.otherEnvironment) { _ = try open(.production) }
        #expect(throws: TokenFileError.otherTokenByteCount(32)) { _ = try open(tokenByteCount: 64) }
        let key = lines[0].split(separator: " ")[3]
        for (head, field) in [
            ("sealedpush-device-tokens-2 sandbox 32 \(key)", "format"),
            ("sealedpush-device-tokens-1 beach 32 \(key)", "environment"),
            ("sealedpush-device-tokens-1 sandbox 31 \(key)", "length of tokens"),
            ("sealedpush-device-tokens-1 sandbox 32 \(key.dropLast())", "key"), ("hello", "format"),
        ] {
            _ = try folder.makeFile("tokens", head + "\n")
            #expect(throws: TokenFileError.malformed(line: 1, field: field)) { _ = try open() }
        }
    }

    @Test func `a record is read as it was written`() throws {
        var record = TokenRecord(
            number: 7,
            app: RegisteredApp(bundleID: try Topic(bundleID: "com.example.voip"), kind: .liveActivity),
            device: 3,
            generation: .max,
            salt: .max,
            owner: .max
        )
        (record.base, record.instance) = (6, Array("match 1\n".utf8))
        for status in [.active, .unregistered(0), .expired(5), .replaced(2_051_222_400_000)]
            as [TokenRecord.Status]
        {
            record.status = status
            #expect(try TokenRecord(line: record.line.dropLast()) == record)
        }
    }

    /// Two registrations, and a file that is not open.
    private func filled() throws -> String {
        do {
            let file = try open()
            let chat = RegisteredApp(bundleID: try Topic("com.example.chat"))
            file.append([
                TokenRecord(number: 0, app: chat, device: 1, generation: 0, salt: 5, owner: 0),
                TokenRecord(number: 1, app: chat, device: 2, generation: 0, salt: 6, owner: 9),
            ])
            #expect(file.close() == nil)
        }
        return try text
    }
}

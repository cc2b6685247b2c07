import APNS
import APNSProvider
import ChatBackEnd
import HTTP
import Platform
import Primitives
import TestSupport
import Testing

/// The library as a server outside this package has it: only its public interface.
struct ChatBackEndTests {
    private static let device = String(repeating: "ab", count: 32)

    @Test func `a back end sends, learns what became of it, and keeps log lines without content`() async throws {
        let site = try APNSStandIn()
        let server = try await site.serve { push in
            let isGone = push.request.headers["apns-collapse-id"].map { $0.elementsEqual("gone".utf8) } ?? false
            isGone ? push.reject(.unregistered, timestampMilliseconds: 2_000) : push.accept()
        }
        let lines = Lines()
        let sender = try Self.sender(site, port: server.port, observer: lines)
        #expect(try await Self.send("AQE", from: sender) == .accepted)
        #expect(try await Self.send("AQE", from: sender, "gone") == .forget(deviceToken: Self.device))
        let sealed = String(repeating: "A", count: 4_096)
        await #expect(throws: PayloadError.self) { try await Self.send(sealed, from: sender) }
        #expect(try await sender.sendOnItsThread("AQE", to: [Self.device, Self.device]) == [200, 200])
        let devices = AsyncStream { continuation in
            for _ in 0..<50 { continuation.yield(Self.device) }
            continuation.finish()
        }
        #expect(try await sender.broadcast("AQE", to: devices) == 50)
        let text = lines.text
        #expect(text.contains("connected") && text.contains("410 Unregistered"))
        #expect(!text.contains(Self.device) && !text.contains("AQE"))
        await sender.close()
        await server.close()
    }

    /// Registered at 1,000 milliseconds.
    @Test(
        arguments: [
            (Reason.badDeviceToken, nil, PreviewSender.Verdict.setAside(deviceToken: device)),
            (.unregistered, 999, .giveUp("Unregistered")), (.unregistered, nil, .giveUp("Unregistered")),
            (.unregistered, 1_000, .forget(deviceToken: device)), (.expiredToken, 999, .giveUp("ExpiredToken")),
            (.expiredToken, 1_000, .forget(deviceToken: device)),
            (.deviceTokenNotForTopic, nil, .forget(deviceToken: device)),
        ] as [(Reason, Int64?, PreviewSender.Verdict)]
    )
    func `a token in quarantine and one with a 410 that proves nothing are kept, and one that is proved gone is not`(
        _ reason: Reason,
        _ timestampMilliseconds: Int64?,
        _ verdict: PreviewSender.Verdict
    ) async throws {
        let site = try APNSStandIn()
        let server = try await site.serve { $0.reject(reason, timestampMilliseconds: timestampMilliseconds) }
        let sender = try Self.sender(site, port: server.port)
        #expect(try await Self.send("AQE", from: sender) == verdict)
        await sender.close()
        await server.close()
    }

    private static func sender(
        _ site: APNSStandIn,
        port: UInt16,
        observer: (any APNSClientObserver)? = nil
    ) throws -> PreviewSender {
        try PreviewSender(
            endpoint: APNSEndpoint(host: "127.0.0.1", port: port),
            authorities: site.authorityPEM,
            p8: Array(ThrowawayKeys.firstPEM.utf8),
            keyID: "ABC123DEFG",
            teamID: "DEF123GHIJ",
            app: "com.example.chat",
            settings: APNSStandIn.patience,
            observer: observer
        )
    }

    private static func send(
        _ sealed: String,
        from sender: PreviewSender,
        _ conversation: String = "1"
    ) async throws -> PreviewSender.Verdict {
        try await sender.send(sealed, to: device, registeredAtMilliseconds: 1_000, conversation: conversation)
    }

    @Test func `what is no key of Apple's is told from one`() throws {
        let error = #expect(throws: ProviderError.key(.noBlock(label: "PRIVATE KEY"))) {
            try PreviewSender(
                endpoint: .production,
                authorities: nil,
                p8: Array("no key".utf8),
                keyID: "ABC123DEFG",
                teamID: "DEF123GHIJ",
                app: "com.example.chat"
            )
        }
        #expect(error?.description == "the signing key cannot be used: the file has no PEM block 'PRIVATE KEY'")
    }

    @Test func `nobody there is an error that says what to do`() async throws {
        let port = try HeldPort.deaf()
        let site = try APNSStandIn()
        let client = try site.client(port: port.number) {
            $0.deadline = .milliseconds(200)
            $0.attemptCountMax = 1
        }
        let error = await #expect(throws: ProviderError.self) { try await client.send(try APNSStandIn.notification()) }
        let text = try #require(error).description
        #expect(text.hasPrefix("not processed by APNs, so it can be sent again: "))
        await client.close()
    }
}

private final class Lines: APNSClientObserver {
    private let events = Guarded<[String]>([])

    func record(_ event: APNSClientEvent) { events.withLock { $0.append(event.description) } }

    var text: String { events.withLock { $0.joined(separator: "\n") } }
}

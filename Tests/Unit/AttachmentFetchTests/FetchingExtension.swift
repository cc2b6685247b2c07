import Envelope
import Foundation
import Keys
import Platform
import Primitives
import Sealing
import TestCertificates
import TestSupport
import TestWebServer

@testable import NotificationCore
@testable import Opening

final class FetchingExtension: Sendable {
    let server: TestWebServer
    let fetcher: EncryptedAttachmentFetcher
    private let temporary: SendableFolder

    /// Unchecked: a path that never changes, and a folder that goes with its last reference.
    private struct SendableFolder: @unchecked Sendable { let folder: TemporaryFolder }

    private init(_ server: TestWebServer, _ fetcher: EncryptedAttachmentFetcher, _ temporary: TemporaryFolder) {
        self.server = server
        self.fetcher = fetcher
        self.temporary = SendableFolder(folder: temporary)
    }

    static func start(
        hasFolder: Bool = true,
        _ change: (inout AttachmentPolicy) -> Void = { _ in },
        script: @escaping TestWebServer.Script
    ) async throws -> FetchingExtension {
        let authority = try TestAuthority()
        let temporary = try TemporaryFolder()
        let server = try await TestWebServer.start(try authority.issue(), script: script)
        let path = try temporary.makeFile("ca.pem", String(decoding: authority.certificatePEM, as: UTF8.self))
        var policy = AttachmentPolicy(sources: [.init(host: "localhost", port: server.port, pathPrefix: "/v1/blobs/")])
        change(&policy)
        let fetcher = EncryptedAttachmentFetcher(
            policy: policy,
            temporaryPath: hasFolder ? temporary.path : temporary.path("gone"),
            downloader: HTTPSDownloader(authoritiesPath: path, patienceSeconds: 600)
        )
        return FetchingExtension(server, fetcher, temporary)
    }

    func url(_ name: String = "a") -> String { server.url("/v1/blobs/" + name) }

    func fetch(
        _ pointers: [AttachmentPointer],
        isWanted: @escaping @Sendable (FetchedAttachments) -> Bool = { _ in true }
    ) async -> [FetchedAttachments] {
        let log = Guarded<[FetchedAttachments]>([])
        await fetcher.fetch(for: Self.message(pointers), within: .seconds(8)) { fetched in
            log.withLock { $0.append(fetched) }
            return isWanted(fetched)
        }
        return log.withLock { $0 }
    }

    /// Files in the extension's folder for temporary files, without the random beginnings of their names.
    func files() throws -> [String] {
        let folder = temporary.folder.path(AttachmentFolder.name)
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.contains("/") && !$0.hasSuffix("/lock") }
            .map { ($0 as NSString).pathExtension }
            .sorted()
    }

    static func message(_ pointers: [AttachmentPointer]) -> OpenedMessage {
        var message = Message(title: "Ada", body: "Look at this")
        message.attachments = pointers
        var random = SeededRandom(seed: 7)
        return OpenedMessage(
            message: message,
            messageID: MessageID(bytes: random.bytes(count: 16)),
            sentAt: Timestamp(milliseconds: 1_800_000_000_000),
            expiresAt: Timestamp(milliseconds: 1_800_000_060_000),
            sender: SenderIdentity(random: &random).publicKey,
            contactName: nil,
            isTruncated: false
        )
    }
}

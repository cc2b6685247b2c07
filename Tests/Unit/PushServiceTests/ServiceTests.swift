import Envelope
import Glibc
import Networking
import Platform
import PushStore
import ServiceParts
import TestCertificates
import TestSupport
import Testing

@testable import PushService

/// A service of parts that only record their calls.
struct ServiceTests {
    @Test func `parts begin in their order and end in the other one, before the store`() async throws {
        let book = Book()
        let folder = try TemporaryFolder()
        let service = try await Self.start(book, ["hooks", "dispatcher", "front"], folder)
        #expect(await service.isAnswering())
        await service.stop()
        #expect(
            book.lines == [
                "start hooks", "start dispatcher", "start front", "drain front", "drain dispatcher", "drain hooks",
            ]
        )
        #expect(await !service.isAnswering())
    }

    @Test func `a part that does not start ends those that did, and gives the database back`() async throws {
        let book = Book()
        book.failing.withLock { $0 = "start front" }
        let folder = try TemporaryFolder()
        await #expect(throws: ServiceError.part("start front")) {
            _ = try await Self.start(book, ["hooks", "dispatcher", "front"], folder)
        }
        #expect(
            book.lines == [
                "start hooks", "start dispatcher", "start front", "drain dispatcher", "drain hooks",
            ]
        )
        book.failing.withLock { $0 = "" }
        let service = try await Self.start(book, [], folder)
        await service.stop()
    }

    @Test func `a reload that one part refuses is taken back from the others`() async throws {
        let book = Book()
        let folder = try TemporaryFolder()
        let service = try await Self.start(book, ["hooks", "dispatcher", "front"], folder)
        book.failing.withLock { $0 = "reload dispatcher acme2" }
        let next = try Self.load(folder, tenant: "acme2")
        await #expect(throws: ServiceError.part("reload dispatcher acme2")) { try await service.reload(next) }
        #expect(book.lines.dropFirst(3) == ["reload front acme2", "reload dispatcher acme2", "reload front acme"])
        #expect(service.context.settings.tenant(.named("acme")) != nil)
        book.failing.withLock { $0 = "" }
        try await service.reload(next)
        #expect(service.context.settings.tenant(.named("acme2")) != nil)
        await service.stop()
    }

    @Test func `a part that does not come back does not keep the service from its end`() async throws {
        let book = Book()
        book.hanging.withLock { $0 = "front" }
        let folder = try TemporaryFolder()
        let service = try await Self.start(book, ["hooks", "front"], folder, drainSeconds: 4)
        await service.stop()
        #expect(book.lines.suffix(2) == ["drain front", "drain hooks"])
        // It hung, and may continue now.
        book.hang.withLock { $0 }?.resume()
    }

    @Test func `a database that cannot be opened for want of descriptors is told apart from one that is not ours`() {
        for code in [EMFILE, ENFILE] {
            #expect(StoreError.failed(operation: .open, code: code).advice.contains("raise the limit (LimitNOFILE"))
        }
        #expect(StoreError.failed(operation: .open, code: EACCES).advice.contains("is its folder the service's own"))
    }

    @Test func `the watchdog's beats stop while the loop stands, and go on behind it`() async throws {
        let beats = Guarded((standing: 0, running: 0))
        let folders = try [TemporaryFolder(), TemporaryFolder()]
        let standing = try await Self.start(Book(), [], folders[0])
        let running = try await Self.start(Book(), [], folders[1])
        Heartbeat.start(standing, every: .milliseconds(1)) { beats.withLock { $0.standing += 1 } }
        Heartbeat.start(running, every: .milliseconds(1)) { beats.withLock { $0.running += 1 } }
        func until(_ isSo: ((standing: Int, running: Int)) -> Bool) async {
            while !beats.withLock({ isSo($0) }) { await Task.yield() }
        }
        await until { $0.standing >= 3 }
        let (reader, writer) = try Spawn.pipe()
        let before = Guarded<Int?>(nil)
        standing.context.loop.perform {
            before.withLock { $0 = beats.withLock { $0.standing } }
            var byte: UInt8 = 0
            _ = unsafe read(reader, &byte, 1)
        }
        while before.withLock({ $0 }) == nil { await Task.yield() }
        let count = beats.withLock { $0.running }
        await until { $0.running >= count + 50 }
        #expect(beats.withLock { $0.standing } == before.withLock { $0 })
        close(writer)
        await until { $0.standing > before.withLock { $0 ?? 0 } }
        close(reader)
        await standing.stop()
        await running.stop()
    }

    private static func start(
        _ book: Book,
        _ names: [StaticString],
        _ folder: TemporaryFolder,
        drainSeconds: Int = 10
    ) async throws -> Service {
        let clock = ServiceClock(
            now: { Timestamp(milliseconds: 1_800_000_000_000) },
            uptime: { MonotonicTime.now().nanoseconds }
        )
        let loaded = try load(folder, tenant: "acme", drainSeconds: drainSeconds)
        let names = names.map { $0.description }
        return try await Service.start(loaded, clock: clock, log: ServiceLog { _ in }) { _ in
            names.map { Part($0, book) }
        }
    }

    /// A configuration with its files, which are made where they are missing.
    private static func load(
        _ folder: TemporaryFolder,
        tenant: String,
        drainSeconds: Int = 10
    ) throws -> LoadedConfiguration {
        if try !folder.names().contains("tls.pem") {
            let server = try TestAuthority().issue()
            _ = try folder.makeFile("tls.pem", String(decoding: server.certificatePEM, as: UTF8.self))
            _ = try folder.makeFile("tls.key", String(decoding: server.privateKeyPEM, as: UTF8.self))
            _ = try folder.makeFile("token.key", "another key that has 32 bytes -_")
            _ = try folder.makeFile("a.p8", ThrowawayKeys.firstPEM)
        }
        let text = """
            {"listen": [{"address": "127.0.0.1", "port": 0}], "limits": {"drain-seconds": \(drainSeconds)},
             "tls": {"certificate-file": "\(folder.path)/tls.pem", "key-file": "\(folder.path)/tls.key"},
             "database-file": "\(folder.path)/store.sqlite", "token-key-file": "\(folder.path)/token.key",
             "tenants": [{"id": "\(tenant)",
               "keys": [{"name": "a", "hash": "\(ExampleConfiguration.hash)", "scopes": ["send"]}],
               "apps": [{"bundle-id": "com.example.chat", "environment": "production",
                 "credential": {"key-file": "\(folder.path)/a.p8", "key-id": "ABCDE12345", "team-id": "TEAM123456"},
                 "placeholder": {"loc-key": "SP_NEW"}}]}]}
            """
        return try LoadedConfiguration(file: Array(text.utf8), environment: [:], now: Timestamp(milliseconds: 0))
    }
}

private final class Book: Sendable {
    let failing = Guarded("")
    let hanging = Guarded("")
    let hang = Guarded<CheckedContinuation<Void, Never>?>(nil)
    private let written = Guarded<[String]>([])

    var lines: [String] { written.withLock { $0 } }

    func write(_ line: String) throws(ServiceError) {
        written.withLock { $0.append(line) }
        if failing.withLock({ $0 == line }) { throw .part(line) }
    }
}

private final class Part: ServicePart {
    let name: StaticString = "part"
    private let word: String
    private let book: Book

    init(_ word: String, _ book: Book) {
        self.word = word
        self.book = book
    }

    func start() async throws(ServiceError) { try book.write("start \(word)") }

    func reload(_ next: LoadedConfiguration) async throws(ServiceError) {
        try book.write("reload \(word) \(next.configuration.tenants[0].id.text)")
    }

    func drain(until deadline: MonotonicTime) async {
        // Only starting and reloading may fail.
        try? book.write("drain \(word)")
        guard book.hanging.withLock({ $0 == word }) else { return }
        await withCheckedContinuation { continuation in book.hang.withLock { $0 = continuation } }
    }
}

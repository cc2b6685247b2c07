#if POSTGRESQL
import Glibc
import PostgreSQL
import PostgreSQLServers
import PushService
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// A relay's start on a database that is not as it should be. Each time the real program says so in one sentence, and
/// nothing is lost.
@Suite(.needsServer)
struct DatabaseStartTests {
    private let folder: DaemonFolder
    private let stage: DatabaseStage

    init() async throws {
        folder = try DaemonFolder()
        stage = try await DatabaseStage()
        try use(stage.url)
    }

    private func use(_ url: String) throws {
        try folder.change("database.url", url + "\n")
        try folder.write(
            folder.replacing(
                #""database-file": "\#(folder.folder.path("store.sqlite"))""#,
                with: #""database": {"url-file": "\#(folder.folder.path("database.url"))", "requires-standby": false}"#
            )
        )
    }

    private var place: String { "sealedpushd: \(folder.folder.path("database.url")): " }

    private func start() throws -> Ended { try Ended(["--config", folder.configuration]) }

    private func migrate() throws -> Ended { try Ended(["migrate", "--config", folder.configuration]) }

    private func sql(_ statement: Statement) async throws {
        let pool = try stage.pool()
        try await pool.run(statement)
        await pool.close()
    }

    @Test func `a database without a schema names the command that makes one, and it does so once`() throws {
        let ended = try start()
        #expect(ended.code == 78)
        #expect(ended.complaint.hasPrefix(place + "the database has version 0 of the schema, and this relay needs "))
        #expect(ended.complaint.hasSuffix("; migrate it first\n"))
        #expect(try migrate().code == 0)
        let again = try migrate()
        #expect(again.code == 0 && again.complaint.isEmpty)
    }

    @Test func `a schema two versions later is refused`() async throws {
        #expect(try migrate().code == 0)
        try await sql("INSERT INTO sealedpush.stamp (version) SELECT max(version) + 2 FROM sealedpush.stamp")
        let ended = try start()
        #expect(ended.code == 78)
        #expect(ended.complaint.hasSuffix("; update this relay\n"))
    }

    @Test func `a wrong password is no reason to try again, and is not repeated`() throws {
        let (server, password) = (stage.server, "secret-of-nobody")
        let extra = "?sslrootcert=" + server.folder.path("root")
        try use(server.url(password: password, host: server.address, extra: extra))
        let ended = try start()
        #expect(ended.code == 78)
        #expect(ended.complaint.contains("the server refused user or password"))
        #expect(!ended.complaint.contains(password))
    }

    @Test func `another token key than the database's is refused`() async throws {
        #expect(try migrate().code == 0)
        try await sql("INSERT INTO sealedpush.meta (name, value) VALUES ('key', '\\x00')")
        let ended = try start()
        #expect(ended.code == 78)
        #expect(ended.complaint.hasPrefix(place + "this database was made with another key"))
    }

    @Test(arguments: [
        ("mysql://somebody@localhost/relay", "its URL is unreadable"),
        ("postgresql://localhost/relay", "its URL has no user"),
        ("postgresql://relay@localhost/relay?sslmode=require", "its URL asks for TLS without a check"),
    ])
    func `a wrong URL says what is wrong`(_ example: (url: String, said: String)) throws {
        try use(example.url)
        let ended = try start()
        #expect(ended.code == 78)
        #expect(ended.complaint.hasPrefix(place + "the database cannot be used: " + example.said))
    }

    @Test func `two databases in one configuration are one too many`() throws {
        try folder.write(
            folder.replacing(
                #""token-key-file""#,
                with: #""database": {"url-file": "\#(folder.folder.path("database.url"))"}, "token-key-file""#
            )
        )
        let ended = try start()
        #expect(ended.code == 78)
        #expect(ended.complaint.contains("/database: there is a 'database-file' too; keep one of the two"))
    }

    @Test func `a file is moved once, with what waits in it, and another one is refused`() async throws {
        #expect(try migrate().code == 0)
        let key = try StoreKey(try TokenKeyFile.read(folder.folder.path("token.key")))
        let paths = [folder.folder.path("store.sqlite"), folder.folder.path("other.sqlite")]
        for path in paths {
            let store = try SQLiteStore(path: path, key: key, now: StorePattern.start)
            _ = try await store.put(try (1...3).map { try StorePattern.registration($0) }, now: StorePattern.start)
            let entries = try (1...5 as ClosedRange<UInt64>).map { try StorePattern.entry($0) }
            let request = try OutboxRequest(tenant: try StorePattern.tenant(1), idempotency: nil, entries: entries)
            _ = try await store.enqueue([request], now: StorePattern.start)
            await store.close()
        }
        func move(_ path: String) throws -> Ended { try Ended(["move", path, "--config", folder.configuration]) }
        let moved = try move(paths[0])
        #expect(moved.code == 0 && moved.output == "moved: 3 devices, 5 notifications\n")
        #expect(try move(paths[0]).output == "nothing to do: all of it is there\n")
        #expect(try move(paths[1]).complaint == place + "the database has other contents; give an empty one\n")
        #expect(try move(folder.folder.path("nowhere")).complaint.contains("does not exist; give the path"))
    }

    @Test func `a relay whose URL names a standby says so, waits, and begins when that is the primary`() async throws {
        let primary = try TestServer()
        let stage = try await DatabaseStage(primary)
        try use(stage.url)
        #expect(try migrate().code == 0)
        let standby = try TestServer(standbyOf: primary)
        try use(standby.localURL(stage.database))
        let ended = try migrate()
        #expect(ended.code != 0)
        #expect(ended.complaint.contains("the server takes no writes; name the primary in the URL, or several hosts"))
        let process = try DaemonProcess(["--config", folder.configuration])
        let said = process.lines(to: "store-waiting").last ?? ""
        #expect(said.contains("the server takes no writes; name the primary in the URL, or several hosts"))
        try primary.kill()
        try standby.promote()
        #expect(process.lines(to: "ready").last?.contains("ready") == true)
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
    }

    @Test(arguments: [(-60 as Int64, "behind"), (60, "ahead of")])
    func `a relay with another time than the database's says so, and begins when it has the same`(
        _ example: (shift: Int64, said: String)
    ) throws {
        #expect(try migrate().code == 0)
        let clock = try ShiftedClock(in: folder.folder)
        try clock.set(ahead: example.shift)
        let process = try DaemonProcess(["--config", folder.configuration], environment: clock.variables)
        let said = process.lines(to: "store-waiting").last ?? ""
        // The clock goes on while the relay asks.
        let sentences = (30...60).map { seconds in
            "this relay's time is \(seconds) seconds \(example.said) the database's; set both clocks (NTP)"
        }
        #expect(sentences.contains { said.contains($0) }, "\(said)")
        try clock.set(ahead: 0)
        #expect(process.lines(to: "ready").last?.contains("ready") == true)
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
    }

    @Test func `a relay that waits for its database begins no thread with each try`() throws {
        let listener = try ClosingListener(in: folder.folder)
        try use("postgresql://relay@" + folder.folder.path.replacing("/", with: "%2F") + "/relay")
        let process = try DaemonProcess(["--config", folder.configuration])
        for _ in 0..<3 { try listener.close() }
        let count = try threadCount(of: process.id)
        let tryCount = 4
        for _ in 0..<tryCount { try listener.close() }
        // Threads of the system's pool come and go.
        #expect(try threadCount(of: process.id) < count + tryCount)
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
    }

    private func threadCount(of process: pid_t) throws -> Int {
        guard let folder = unsafe opendir("/proc/\(process)/task") else {
            throw SystemFailure(call: "opendir", code: errno)
        }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        return count
    }

    @Test func `a file's commands say that a server has tools of its own`() throws {
        let ended = try Ended(["backup", folder.folder.path("copy"), "--config", folder.configuration])
        #expect(ended.code == 1)
        #expect(ended.complaint.contains("this command is for a 'database-file'"))
    }
}

/// Server that ends each connection of libpq's at once.
private final class ClosingListener {
    private let listener: Int32

    init(in folder: TemporaryFolder) throws {
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(folder.path(".s.PGSQL.5432").utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(listener, 8) == 0 else { throw SystemFailure(call: "listen", code: errno) }
    }

    deinit { Glibc.close(listener) }

    /// Waits for a connection, and ends it.
    func close() throws {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { throw SystemFailure(call: "accept", code: errno) }
        Glibc.close(connection)
    }
}
#endif

import Networking
import PostgreSQLServers
import TestCertificates
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.needsServer)
struct ConnectTests {
    private func connectError(_ stage: ServerStage, _ url: String) async throws -> PostgreSQLError? {
        let pool = try stage.pool(url, connections: 1)
        let error = await failure { try await pool.run("SELECT 1", writes: true) }
        await pool.close()
        return error
    }

    @Test func `TLS with a verified name is used, and a wrong password, user or database is told apart`() async throws {
        let stage = try await ServerStage.shared()
        let server = stage.server
        let pool = try stage.pool(stage.url)
        let row = try await pool.run("SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()").rows[0]
        #expect(try row.bool(0) && row.text(1) == "TLSv1.3")
        await pool.close()
        let root = "?sslrootcert=" + server.folder.path("root")
        let wrongPassword = server.url(password: "wrong", host: server.address, extra: root)
        #expect(try await connectError(stage, wrongPassword) == .broken(.authenticationFailed))
        let wrongUser = server.url(user: "stranger", host: server.address, extra: root)
        #expect(try await connectError(stage, wrongUser) == .broken(.authenticationFailed))
        let wrongDatabase = server.url(host: server.address, database: "absent", extra: root)
        #expect(try await connectError(stage, wrongDatabase) == .broken(.noDatabase))
    }

    @Test func `a certificate of another name, an unknown authority, or no TLS stops the connect`() async throws {
        let stage = try ServerStage(try TestServer(certificateNames: "DNS:db.example.com"))
        let (server, folder) = (stage.server, try TemporaryFolder())
        guard case .broken(.insecure(let name))? = try await connectError(stage, stage.url) else {
            Issue.record("its certificate is for db.example.com")
            return
        }
        #expect(name.contains("db.example.com") && name.contains(server.address))
        let other = String(decoding: try TestAuthority().certificatePEM, as: UTF8.self)
        let stranger = server.url(host: server.address, extra: "?sslrootcert=" + (try folder.makeFile("root", other)))
        guard case .broken(.insecure)? = try await connectError(stage, stranger) else {
            Issue.record("another authority issued its certificate")
            return
        }
        try server.stop()
        try server.set("ssl", "off", whileRunning: false)
        try server.start()
        guard case .broken(.insecure)? = try await connectError(stage, stage.url) else {
            Issue.record("it has no TLS")
            return
        }
    }

    @Test func `a host without a server, one that is silent and a name without an address end the call`() async throws {
        let loop = try EventLoop()
        defer { loop.stopAnywhere() }
        func connectError(_ host: String, _ port: UInt16) async throws -> PostgreSQLError? {
            var settings = SessionSettings()
            settings.connectTimeout = .milliseconds(200)
            let url = try DatabaseURL("postgresql://relay@\(host):\(port)/push")
            let pool = DatabasePool(url, on: loop, settings: settings)
            let error = await failure { try await pool.run("SELECT 1") }
            await pool.close()
            return error
        }
        let (deaf, silent) = (try HeldPort.deaf(), try HeldPort.silent())
        guard case .notDone(.unreachable(let text))? = try await connectError("127.0.0.1", deaf.number) else {
            Issue.record("no server listens there")
            return
        }
        #expect(text.contains("Connection refused"))
        #expect(try await connectError("127.0.0.1", silent.number) == .notDone(.deadlineExceeded))
        guard case .notDone(.hostNotFound)? = try await connectError("db.invalid", 5432) else {
            Issue.record("RFC 6761: .invalid has no address")
            return
        }
    }

    @Test func `a server that takes no more connections overloads a pool without one, and leaves others at work`()
        async throws
    {
        let settings = ["max_connections": "4", "superuser_reserved_connections": "0", "max_wal_senders": "0"]
        let stage = try ServerStage(try TestServer(settings: settings))
        let first = try stage.pool(connections: 8)
        let calls = (0..<8).map { _ in Task { await failure { try await first.run("SELECT pg_sleep(0.2)::text") } } }
        for call in calls { #expect(await call.value == nil, "four connections serve eight calls") }
        #expect(try await connectError(stage, stage.localURL) == .overloaded(.tooManyConnections))
        await first.close()
    }

    @Test func `after a failover the earlier primary is refused, also where its host stands first`() async throws {
        let stage = try ServerStage()
        let standby = try TestServer(standbyOf: stage.server)
        let hosts = [stage.server, standby].map { $0.folder.path.replacing("/", with: "%2F") }.joined(separator: ",")
        let pool = try stage.pool(stage.server.url(host: hosts), connections: 1)
        func run() async -> PostgreSQLError? { await failure { try await pool.run("SELECT 1", writes: false) } }
        #expect(await run() == nil)
        try stage.server.kill()
        try standby.promote()
        var error = await run()
        while case .notDone? = error { error = await run() }
        #expect(error == nil)
        // It comes back, and nothing tells it of the failover.
        try stage.server.start()
        try standby.stop()
        error = await run()
        #expect(error != nil)
        try standby.start()
        while case .notDone? = error { error = await run() }
        #expect(error == nil)
        let timeline: Statement = "SELECT timeline_id::int8 FROM pg_control_checkpoint()"
        try await pool.run(Statement(once: "CHECKPOINT"))
        #expect(try await pool.number(timeline) == 2)
        await pool.close()
    }

    @Test func `a standby is refused, and of several hosts the one that takes writes is found`() async throws {
        let stage = try ServerStage()
        let standby = try TestServer(standbyOf: stage.server)
        #expect(try await connectError(stage, standby.localURL()) == .broken(.readOnly))
        let hosts = [standby, stage.server].map { $0.folder.path.replacing("/", with: "%2F") }.joined(separator: ",")
        let pool = try stage.pool(stage.server.url(host: hosts), connections: 1)
        try await pool.run("SELECT 1")
        // Failover: calls fail while no server takes writes, and then the pool is with the new primary.
        try stage.server.kill()
        try standby.promote()
        var error = await failure { try await pool.run("SELECT 1", writes: false) }
        while case .notDone? = error { error = await failure { try await pool.run("SELECT 1", writes: false) } }
        #expect(error == nil)
        await pool.close()
    }
}

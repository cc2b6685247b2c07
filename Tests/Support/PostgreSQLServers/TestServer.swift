internal import Platform
internal import TestCertificates
package import TestSupport

/// A PostgreSQL server in a temporary folder, with all processes of it: on a unix socket without a password, and with
/// TLS and a password on an address of the loopback that no other has. It ends with its last reference, and with the
/// process that made it, however that ends.
package final class TestServer: Sendable {
    package static let user = "postgres"
    package static let password = "p%ss/word"
    static let encodedPassword = "p%25ss%2Fword"

    package struct SetupError: Error {
        let step: String
        let output: String
    }

    package let folder: TemporaryFolder
    /// Such as 127.93.4.250, with the usual port.
    package let address: String
    private let settings: Guarded<[String: String]>
    private let keeper = Guarded<Keeper?>(nil)

    /// Starts a new cluster.
    ///
    /// - Parameters:
    ///   - settings: lines of its postgresql.conf.
    ///   - certificateNames: those of its certificate; nil for its address.
    package convenience init(
        settings: [String: String] = [:],
        certificateNames: String? = nil
    ) throws {
        try self.init(settings, certificateNames)
        let passwordFile = try makeFile("password", Self.password)
        try run(
            "initdb",
            [
                "-D", data, "-U", Self.user, "--pwfile", passwordFile, "-A", "trust", "--no-sync", "--wal-segsize=1",
                "-E", "UTF8", "--locale=C",
            ]
        )
        // The last word of each setting is `own.conf`'s.
        try append("\ninclude '../own.conf'\n", to: "data/postgresql.conf")
        let rules = """
            local all all trust
            local replication all trust
            hostssl all all 127.0.0.0/8 scram-sha-256

            """
        _ = try makeFile("data/pg_hba.conf", rules)
        try start()
    }

    /// Starts a standby with a copy of `primary`'s cluster, which streams from it under this name.
    package convenience init(standbyOf primary: TestServer, named name: String = "standby") throws {
        let source = "host=\(primary.folder.path) user=\(Self.user) application_name=\(name)"
        try self.init(["primary_conninfo": source], nil)
        try run(
            "pg_basebackup",
            [
                "-h", primary.folder.path, "-U", Self.user, "-D", data, "-X", "stream", "-c", "fast", "--no-sync",
            ]
        )
        _ = try makeFile("data/standby.signal", "")
        try start()
    }

    private struct Shared { weak var server: TestServer? }
    private static let sharedServer = Guarded(Shared())

    /// Server for tests that leave it running, each with a database of its own; gone with the last of them.
    package static func shared() throws -> TestServer {
        try sharedServer.withLock { shared in
            if let server = shared.server { return server }
            let server = try TestServer()
            shared.server = server
            return server
        }
    }

    private init(_ given: [String: String], _ certificateNames: String?) throws {
        folder = try TemporaryFolder()
        Self.chown(folder.path)
        var random = SystemRandomNumberGenerator()
        let numbers = [UInt8.random(in: 64...191, using: &random), .random(in: 0...255), .random(in: 1...254)]
        address = "127." + numbers.map(String.init).joined(separator: ".")
        let authority = try TestAuthority()
        let identity = try authority.issue(names: certificateNames ?? "IP:\(address)")
        var settings = [
            "listen_addresses": address, "unix_socket_directories": folder.path, "ssl": "on",
            "ssl_cert_file": folder.path("certificate"), "ssl_key_file": folder.path("key"),
            // A killed process loses nothing that it wrote; only a lost machine does.
            "fsync": "off", "max_connections": "200", "shared_buffers": "16MB", "wal_keep_size": "16MB",
        ]
        settings.merge(given) { $1 }
        self.settings = Guarded(settings)
        _ = try makeFile("certificate", String(decoding: identity.certificatePEM, as: UTF8.self))
        _ = try makeFile("key", String(decoding: identity.privateKeyPEM, as: UTF8.self))
        _ = try makeFile("root", String(decoding: authority.certificatePEM, as: UTF8.self))
        try writeSettings()
    }

    deinit { keeper.withLock { $0 = nil } }

    private var data: String { folder.path("data") }

    // MARK: URLs

    /// By the unix socket.
    package func localURL(_ database: String = "postgres") -> String {
        url(host: folder.path.replacing("/", with: "%2F"), database: database)
    }

    /// By TLS.
    package func url(_ database: String = "postgres") -> String {
        url(host: address, database: database, extra: "?sslrootcert=" + folder.path("root"))
    }

    package func url(
        user: String = TestServer.user,
        password: String = TestServer.encodedPassword,
        host: String,
        database: String = "postgres",
        extra: String = ""
    ) -> String {
        "postgresql://\(user):\(password)@\(host)/\(database)\(extra)"
    }

    // MARK: Its life

    /// Starts it after an end; does nothing while it runs.
    package func start() throws {
        try keeper.withLock { keeper in
            guard keeper == nil else { return }
            let options = [PostgreSQLPrograms.folder, data, folder.path("log")]
            keeper = try Keeper(PostgreSQLPrograms.words + ["/bin/sh", "-c", Keeper.script, "keeper"] + options)
        }
    }

    /// Ends it in order, with its sessions.
    package func stop() throws {
        try run("pg_ctl", ["-D", data, "-m", "fast", "-w", "stop"])
        keeper.withLock { $0 = nil }
    }

    /// Ends all its processes at once, as the loss of its machine does.
    package func kill() throws {
        for process in try processes() { _ = Platform.kill(process, SIGKILL) }
        keeper.withLock { $0 = nil }
    }

    /// Stops all its processes where they are, as a machine that hangs; sockets stay open.
    package func pause() throws { for process in try processes() { _ = Platform.kill(process, SIGSTOP) } }

    package func resume() throws { for process in try processes() { _ = Platform.kill(process, SIGCONT) } }

    /// Makes a standby a primary.
    package func promote() throws { try run("pg_ctl", ["-D", data, "-w", "promote"]) }

    /// Changes a setting. Sessions see it with their next statement.
    package func set(_ name: String, _ value: String, whileRunning: Bool = true) throws {
        settings.withLock { $0[name] = value }
        try writeSettings()
        if whileRunning { try run("pg_ctl", ["-D", data, "reload"]) }
    }

    package func createDatabase(_ name: String) throws {
        try run("psql", ["-h", folder.path, "-U", Self.user, "-q", "-c", "CREATE DATABASE \(name)"])
    }

    /// Runs shell commands as this server's operator, whom libpq's variables lead to it.
    package func operate(_ script: String, _ variables: [String: String]) throws {
        let own = ["PATH": PostgreSQLPrograms.folder + ":/usr/bin:/bin", "PGHOST": folder.path, "PGUSER": Self.user]
        let assignments = own.merging(variables) { $1 }.map { "\($0.key)=\($0.value)" }
        let words = PostgreSQLPrograms.words + assignments + ["/bin/sh", "-e", "-c", script]
        let process = try LineProcess(words[0], Array(words.dropFirst()))
        let output = process.rest()
        guard process.wait() == 0 else { throw SetupError(step: script, output: output) }
    }

    /// Postmaster and its children.
    private func processes() throws -> [pid_t] {
        let lines = try Self.text(of: data + "/postmaster.pid").split(separator: "\n")
        guard let postmaster = lines.first.flatMap({ pid_t($0) }) else { return [] }
        let children = try Self.text(of: "/proc/\(postmaster)/task/\(postmaster)/children")
        return [postmaster] + children.split(separator: " ").compactMap { pid_t($0) }
    }

    // MARK: Files and programs

    private func writeSettings() throws {
        let lines = settings.withLock { $0.map { "\($0.key) = '\($0.value)'\n" } }.sorted()
        _ = try makeFile("own.conf", lines.joined())
    }

    private func makeFile(_ name: String, _ text: String) throws -> String {
        let path = try folder.makeFile(name, text)
        Self.chown(path)
        return path
    }

    private func append(_ text: String, to name: String) throws {
        _ = try makeFile(name, try Self.text(of: folder.path(name)) + text)
    }

    private static func chown(_ path: String) {
        guard geteuid() == 0 else { return }
        let code = unsafe Platform.chown(path, PostgreSQLPrograms.unprivileged, PostgreSQLPrograms.unprivileged)
        precondition(code == 0)
    }

    private static func text(of path: String) throws -> String {
        guard let file = unsafe fopen(path, "r") else { throw SystemFailure(call: "open \(path)", code: errno) }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = unsafe fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        let words = PostgreSQLPrograms.words + [PostgreSQLPrograms.folder + "/" + program] + arguments
        let process = try LineProcess(words[0], Array(words.dropFirst()))
        let output = process.rest()
        guard process.wait() == 0 else { throw SetupError(step: program, output: output) }
    }
}

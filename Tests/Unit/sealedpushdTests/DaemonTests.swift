import Glibc
import TestCertificates
import TestSupport
import Testing

struct DaemonTests {
    @Test func `it answers over TLS, and SIGTERM ends it in order`() async throws {
        let folder = try DaemonFolder()
        let process = try DaemonProcess(["--config", folder.configuration])
        let started = process.lines(to: "ready")
        let port = try port(of: started)
        let (status, body) = try await HealthCaller.get(port, "/v1/health", trusting: folder.authority.certificatePEM)
        #expect(status == 200)
        #expect(body.hasPrefix("{\"status\":\"ok\""))
        process.signal(SIGTERM)
        let ended = process.lines(to: "stopped")
        #expect(ended.contains { $0.contains("\"event\":\"stopping\"") })
        #expect(ended.last?.contains("\"event\":\"stopped\"") == true)
        #expect(process.wait() == 0)
        #expect(process.complaint() == "")
        // The store was closed in order.
        #expect(try !folder.folder.names().contains("store.sqlite-wal"))
    }

    /// A watchdog's SIGABRT comes from outside. The hook of Swift's runtime would catch it, print registers and
    /// continue.
    @Test(arguments: [SIGABRT, SIGQUIT, SIGSEGV])
    func `a signal that leaves a core ends it at once, without a word of what it held`(_ number: Int32) throws {
        let folder = try DaemonFolder()
        let process = try DaemonProcess(["--config", folder.configuration])
        _ = process.lines(to: "ready")
        process.signal(number)
        #expect(process.wait() == -number)
        #expect(process.complaint() == "")
    }

    @Test func `SIGINT ends it in order, too`() throws {
        let folder = try DaemonFolder()
        let process = try DaemonProcess(["--config", folder.configuration])
        _ = process.lines(to: "ready")
        process.signal(SIGINT)
        #expect(process.lines(to: "stopped").last?.contains("stopped") == true)
        #expect(process.wait() == 0)
    }

    @Test func `SIGHUP with a wrong file names its faults and keeps the old one (abuse case 101)`() async throws {
        let folder = try DaemonFolder()
        let process = try DaemonProcess(["--config", folder.configuration])
        let port = try port(of: process.lines(to: "ready"))
        try folder.write(folder.replacing("\"acme\"", with: "\"Acme\""))
        process.signal(SIGHUP)
        let lines = process.lines(to: "audit")
        #expect(lines.contains { $0.contains("\(folder.configuration):10:11: /tenants/0/id: expected 1 to 64") })
        #expect(lines.last?.contains("\"act\":\"reload\",\"outcome\":\"refused\"") == true)
        let (status, _) = try await HealthCaller.get(port, "/v1/health", trusting: folder.authority.certificatePEM)
        #expect(status == 200)
        process.signal(SIGTERM)
        _ = process.lines(to: "stopped")
        #expect(process.wait() == 0)
    }

    @Test(arguments: [
        ("store.sqlite", "other.sqlite", "7:20: /database-file: the database cannot change"),
        ("127.0.0.1", "127.0.0.2", "2:13: /listen: the listeners cannot change"),
        (
            #"  "database-file""#, #"  "loopback-port": 0, "database-file""#,
            "7:20: /loopback-port: the listeners cannot"
        ),
        (
            #"  "database-file""#, #"  "socket": {"path": "/nowhere/s"}, "database-file""#,
            "7:13: /socket: the listeners cannot"
        ),
    ])
    func `SIGHUP cannot change the database or the listeners, and says so`(
        _ change: (from: String, to: String, said: String)
    ) throws {
        let folder = try DaemonFolder()
        let process = try DaemonProcess(["--config", folder.configuration])
        _ = process.lines(to: "ready")
        try folder.write(folder.replacing(change.from, with: change.to))
        process.signal(SIGHUP)
        let lines = process.lines(to: "audit")
        #expect(lines.contains { $0.contains(":\(change.said)") }, "\(lines)")
        #expect(lines.last?.contains("refused") == true)
    }

    @Test func `a proxy of this machine reaches it by a unix socket, and what a kill leaves there is no hindrance`()
        throws
    {
        let folder = try DaemonFolder()
        let socket = folder.folder.path("relay.sock")
        let fields = #""socket": {"path": "\#(socket)", "mode": "0660"}, "proxies": {"ranges": ["127.0.0.1/32"]}"#
        let text = folder.replacing(#"  "database-file""#, with: #"  \#(fields), "database-file""#)
        try folder.write(text)
        let second = try folder.folder.makeFile("second.json", text.replacing("store.sqlite", with: "second.sqlite"))
        for end in [SIGKILL, SIGTERM] {
            let process = try DaemonProcess(["--config", folder.configuration])
            let started = process.lines(to: "ready")
            #expect(started.contains { $0.contains(#""socket":"\#(socket)""#) })
            var status = stat()
            #expect(unsafe stat(socket, &status) == 0 && status.st_mode & 0o7777 == 0o660)
            #expect(try UnixCaller.call(socket, "GET /v1/health").status == 200)
            // A second one would take the first one's callers.
            let other = try Ended(["--config", second])
            #expect(
                other.complaint
                    == "sealedpushd: \(socket): another process listens on this socket; stop that one first\n"
            )
            #expect(other.code == 1)
            process.signal(end)
            _ = process.wait()
            #expect(try folder.folder.names().contains("relay.sock") == (end == SIGKILL))
        }
    }

    @Test func `SIGHUP cannot change the token key, and says so`() throws {
        let folder = try DaemonFolder()
        let process = try DaemonProcess(["--config", folder.configuration])
        _ = process.lines(to: "ready")
        try folder.change("token.key", "an other key of thirty-two bytes")
        process.signal(SIGHUP)
        let lines = process.lines(to: "audit")
        #expect(lines.contains { $0.contains(":8:21: /token-key-file: the key is not the one") }, "\(lines)")
        #expect(lines.last?.contains("refused") == true)
    }

    @Test func `SIGHUP renews the certificate on the same port`() async throws {
        let folder = try DaemonFolder()
        let process = try DaemonProcess(["--config", folder.configuration])
        let port = try port(of: process.lines(to: "ready"))
        let other = try DaemonFolder()
        let renewed = try other.authority.issue()
        try folder.change("tls.pem", String(decoding: renewed.certificatePEM, as: UTF8.self))
        try folder.change("tls.key", String(decoding: renewed.privateKeyPEM, as: UTF8.self))
        process.signal(SIGHUP)
        #expect(process.lines(to: "audit").last?.contains("taken") == true)
        let (status, _) = try await HealthCaller.get(port, "/v1/health", trusting: other.authority.certificatePEM)
        #expect(status == 200)
        await #expect(throws: (any Error).self) {
            try await HealthCaller.get(port, "/v1/health", trusting: folder.authority.certificatePEM)
        }
    }

    @Test func `a port that is in use is named, and nothing is left locked (abuse case 102)`() throws {
        let held = try HeldPort.silent()
        let folder = try DaemonFolder(port: held.number)
        let ended = try Ended(["--config", folder.configuration])
        #expect(ended.code == 1)
        #expect(
            ended.complaint == "sealedpushd: 127.0.0.1:\(held.number): port \(held.number) is in use; "
                + "stop the other program, or choose another port (0: any)\n"
        )
        try folder.write(folder.replacing("\"port\": \(held.number)}", with: "\"port\": 0}"))
        let process = try DaemonProcess(["--config", folder.configuration])
        #expect(process.lines(to: "ready").last?.contains("ready") == true)
    }

    @Test func `a database that another process has is named; a killed process gives it back (abuse case 102)`() throws
    {
        let folder = try DaemonFolder()
        let first = try DaemonProcess(["--config", folder.configuration])
        _ = first.lines(to: "ready")
        let ended = try Ended(["--config", folder.configuration])
        #expect(ended.code == 1)
        let path = folder.folder.path("store.sqlite")
        #expect(
            ended.complaint.hasPrefix("sealedpushd: \(path): another process uses this database; stop it first")
        )
        first.signal(SIGKILL)
        #expect(first.wait() == -SIGKILL)
        let next = try DaemonProcess(["--config", folder.configuration])
        #expect(next.lines(to: "ready").last?.contains("ready") == true)
    }

    @Test func `another token key is told apart, with what to do`() throws {
        let folder = try DaemonFolder()
        let first = try DaemonProcess(["--config", folder.configuration])
        _ = first.lines(to: "ready")
        first.signal(SIGTERM)
        #expect(first.wait() == 0)
        try folder.change("token.key", "an other key of thirty-two bytes")
        let ended = try Ended(["--config", folder.configuration])
        #expect(ended.code == 78, "another start would find the same")
        #expect(
            ended.complaint.contains("this database was made with another key: put that key back as token-key-file")
        )
    }

    @Test func `a variable of the environment takes a field's place`() throws {
        let folder = try DaemonFolder()
        let other = folder.folder.path("other.sqlite")
        let process = try DaemonProcess(
            ["--config", folder.configuration],
            environment: ["SEALEDPUSH_DATABASE_FILE=\(other)"]
        )
        _ = process.lines(to: "ready")
        #expect(try folder.folder.names().contains("other.sqlite"))
        #expect(try !folder.folder.names().contains("store.sqlite"))
    }

    @Test func `what it makes is its owner's alone`() throws {
        let folder = try DaemonFolder()
        let process = try DaemonProcess(["--config", folder.configuration])
        _ = process.lines(to: "ready")
        for name in try folder.folder.names() where name.hasPrefix("store") {
            var status = stat()
            #expect(unsafe stat(folder.folder.path(name), &status) == 0)
            #expect(status.st_mode & 0o077 == 0, "\(name)")
        }
    }

    private func port(of lines: [String]) throws -> UInt16 {
        let line = try #require(lines.first { $0.contains("\"event\":\"listening\"") })
        return try #require(DaemonProcess.value("port", in: line).flatMap { UInt16($0) })
    }
}

#if POSTGRESQL
import PostgreSQL
import PostgreSQLServers
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

    @Test func `a file's commands say that a server has tools of its own`() throws {
        let ended = try Ended(["backup", folder.folder.path("copy"), "--config", folder.configuration])
        #expect(ended.code == 1)
        #expect(ended.complaint.contains("this command is for a 'database-file'"))
    }
}
#endif

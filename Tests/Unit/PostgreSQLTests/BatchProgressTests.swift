import Testing

@testable import PostgreSQL

struct BatchProgressTests {
    private static func report(_ severity: String, _ code: String?) -> ServerReport {
        ServerReport(severity: severity, state: code.flatMap { SQLState($0) })
    }

    private func progress(writes: Bool = true, isSent: Bool = true) -> BatchProgress {
        var progress = BatchProgress([.prepare(Statement("SELECT")), .call, .sync], writes: writes)
        progress.isSent = isSent
        return progress
    }

    private func error(_ end: BatchProgress.End?) -> PostgreSQLError? {
        guard case .failed(let error)? = end else { return nil }
        return error
    }

    @Test func `a lost connection is uncertain from the last byte sent to the answer, for a batch that writes`() {
        #expect(progress(isSent: false).lost(.connectionLost) == .notDone(.connectionLost))
        #expect(progress().lost(.connectionLost) == .uncertain(.connectionLost))
        #expect(progress(writes: false).lost(.connectionLost) == .notDone(.connectionLost))
    }

    @Test func `after a statement's error nothing is stored, whatever happens then`() {
        var progress = progress()
        #expect(progress.handle(.failed(Self.report("ERROR", "23505"))) == nil)
        #expect(progress.handle(.end) == nil)
        #expect(progress.handle(.skipped) == nil)
        #expect(progress.lost(.connectionLost) == .notDone(.refused(SQLState("23505")!)))
        #expect(progress.handle(.end) == nil)
        #expect(error(progress.handle(.sync)) == .notDone(.refused(SQLState("23505")!)))
    }

    @Test func `the end of a session before the answer is uncertain`() {
        var progress = progress()
        guard case .lost(let reason)? = progress.handle(.failed(Self.report("FATAL", "57P01"))) else {
            Issue.record("a fatal error ends the session")
            return
        }
        #expect(progress.lost(reason) == .uncertain(.serverNotReady))
    }

    @Test(arguments: [("WARNING", "01000", true), ("WARNING", "25P01", false), ("NOTICE", "01000", false)])
    func `a warning without a code makes a commit uncertain`(_ severity: String, _ code: String, _ isUncertain: Bool) {
        for writes in [true, false] {
            var progress = progress(writes: writes)
            _ = progress.handle(.end)
            _ = progress.handle(.end)
            progress.handle(Self.report(severity, code))
            #expect(error(progress.handle(.sync)) == (isUncertain && writes ? .uncertain(.standbyUnconfirmed) : nil))
        }
    }

    @Test func `an answer out of turn ends the session`() {
        var early = progress()
        guard case .lost? = early.handle(.sync) else {
            Issue.record("two statements have no answer yet")
            return
        }
        var late = progress()
        _ = late.handle(.end)
        _ = late.handle(.end)
        guard case .lost? = late.handle(.end) else {
            Issue.record("only the end of the batch is left")
            return
        }
    }

    @Test(arguments: [
        ("53300", PostgreSQLError.overloaded(.tooManyConnections)), ("53100", .notDone(.diskFull)),
        ("57014", .notDone(.cancelledByServer)), ("40P01", .notDone(.lockNotAvailable)),
        ("25006", .broken(.readOnly)), ("28P01", .broken(.authenticationFailed)), ("3D000", .broken(.noDatabase)),
        ("42P01", .broken(.schemaMismatch(SQLState("42P01")!))), ("XX001", .broken(.serverDamaged(SQLState("XX001")!))),
        ("40001", .notDone(.refused(SQLState("40001")!))), ("SP001", .notDone(.refused(SQLState("SP001")!))),
    ])
    func `each code of the server is of one kind`(_ code: String, _ expected: PostgreSQLError) {
        #expect(Self.report("ERROR", code).error == expected)
    }

    @Test(arguments: ["", "2350", "235050", "2350é", "abcde", "23 05"])
    func `a code that is none is dropped`(_ text: String) { #expect(SQLState(text) == nil) }

    @Test(arguments: [
        (
            #"connection to server at "db" (10.0.0.1), port 5432 failed: FATAL:  28P01"#,
            PostgreSQLError.broken(.authenticationFailed)
        ),
        (#"connection to server on socket "/run/x" failed: ВАЖНО:  57P03"#, .notDone(.serverNotReady)),
        ("certificate of \u{1B}[2J is for others", .broken(.insecure("certificate of ?[2J is for others"))),
        ("port 5432 failed: Connection refused", .notDone(.unreachable("port 5432 failed: Connection refused"))),
        ("", .notDone(.unreachable(""))),
    ])
    func `the library's words for a failed connect are sorted, short and printable`(
        _ text: String,
        _ expected: PostgreSQLError
    ) {
        #expect(ConnectText.error(text + "\n") == expected)
    }
}

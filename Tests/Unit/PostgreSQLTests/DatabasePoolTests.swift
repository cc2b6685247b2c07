import PostgreSQLServers
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.needsServer)
struct DatabasePoolTests {
    @Test func `every kind of value comes back as it was sent, NULL and empty ones too`() async throws {
        let stage = try await ServerStage.shared()
        let pool = try stage.pool()
        let echo = Statement(
            "SELECT $1::bool, $2::int4, $3::int8, $4::bytea, $5::text, $6::bytea, $7::int8, $8::int8[], $9::bytea[]"
        )
        let row = try await pool.run(
            echo,
            .bool(true),
            .int32(-2),
            .int64(.min),
            .bytes([0, 255, 0]),
            .text("é'; DROP"),
            .noBytes,
            .noInt64,
            .int64s([]),
            .bytesList([])
        ).rows[0]
        #expect(try row.bool(0) && row.int32(1) == -2 && row.int64(2) == .min)
        #expect(try row.bytes(3) == [0, 255, 0] && row.text(4) == "é'; DROP")
        #expect(try row.optionalBytes(5) == nil && row.optionalInt64(6) == nil)
        let empty = try await pool.run(Statement("SELECT $1::bytea, $2::text"), .bytes([]), .text("")).rows[0]
        #expect(try empty.optionalBytes(0) == [] && empty.text(1) == "")
        let unnest = Statement("SELECT n, b FROM unnest($1::int8[], $2::bytea[]) AS list (n, b) ORDER BY n")
        let numbers = Array(Int64(0)..<3_000)
        let lists = numbers.map { $0 % 3 == 0 ? nil : [UInt8](repeating: 7, count: Int($0 % 50)) }
        let rows = try await pool.run(unnest, .int64s(numbers), .bytesList(lists)).rows
        #expect(try rows.map { try $0.int64(0) } == numbers)
        #expect(try rows.map { try $0.optionalBytes(1) } == lists)
        await pool.close()
    }

    @Test func `a column of another type, a NULL, or no column at all is an error`() async throws {
        let stage = try await ServerStage.shared()
        let pool = try stage.pool()
        let row = try await pool.run(Statement("SELECT 1::int4, NULL::int8, 'x'::text")).rows[0]
        #expect(throws: PostgreSQLError.broken(.unexpectedResult(column: 0))) { try row.int64(0) }
        #expect(throws: PostgreSQLError.broken(.unexpectedResult(column: 1))) { try row.int64(1) }
        #expect(throws: PostgreSQLError.broken(.unexpectedResult(column: 2))) { try row.bytes(2) }
        for column in [-1, 3, Int.max] {
            #expect(throws: PostgreSQLError.broken(.unexpectedResult(column: column))) { try row.bool(column) }
        }
        await pool.close()
    }

    @Test func `a batch takes effect as a whole, or not at all; a connection keeps its plans`() async throws {
        let stage = try await ServerStage.shared()
        let pool = try stage.pool(connections: 1)
        try await pool.run(Statement(once: "CREATE TABLE item (id int8 PRIMARY KEY)"))
        let insert = Statement("INSERT INTO item VALUES ($1)")
        var twice = Batch(writes: true)
        for id in [1, 2, 1] as [Int64] { twice.add(insert, .int64(id)) }
        let error = await failure { try await pool.run(twice, within: ServerStage.patience)[0] }
        #expect(error == .notDone(.refused(try #require(SQLState("23505")))))
        #expect(try await pool.number("SELECT count(*) FROM item") == 0)
        for id in 1...3 as ClosedRange<Int64> { #expect(try await pool.run(insert, .int64(id)).changedCount == 1) }
        let plans = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'INSERT%'" as Statement
        #expect(try await pool.number(plans) == 1)
        // A plan of an earlier schema: the session goes, and the next one plans anew.
        #expect(try await pool.run("SELECT * FROM item").rowCount == 3)
        try await pool.run(Statement(once: "ALTER TABLE item ADD COLUMN note text"))
        let stale = await failure { try await pool.run("SELECT * FROM item") }
        #expect(stale == .notDone(.refused(try #require(SQLState("0A000")))))
        #expect(try await pool.run("SELECT * FROM item").rowCount == 3)
        await pool.close()
    }

    @Test func `no setting of role or database weakens a commit`() async throws {
        let stage = try await ServerStage.shared()
        let first = try stage.pool(connections: 1)
        try await first.run(Statement(once: "CREATE ROLE hasty LOGIN"))
        try await first.run(Statement(once: "ALTER ROLE hasty SET synchronous_commit = off"))
        let host = stage.server.folder.path.replacing("/", with: "%2F")
        let url = stage.server.url(user: "hasty", host: host, database: stage.database)
        let pool = try stage.pool(url, connections: 1)
        #expect(try await pool.run("SELECT current_setting('synchronous_commit')").rows[0].text(0) == "on")
        for pool in [first, pool] { await pool.close() }
    }

    @Test func `more than a socket's buffer goes out and comes back, in one batch`() async throws {
        let stage = try await ServerStage.shared()
        let pool = try stage.pool(stage.url, connections: 2)
        var batch = Batch(writes: false)
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for _ in 0..<40 { batch.add("SELECT $1::bytea, $1::bytea", .bytes(bytes)) }
        let results = try await pool.run(batch, within: ServerStage.patience)
        #expect(results.count == 40)
        for result in results { #expect(try result.rows[0].bytes(1) == bytes) }
        await pool.close()
    }

    @Test func `calls share a bounded number of connections, wait in a bounded queue, and all end`() async throws {
        let stage = try await ServerStage.shared()
        let pool = try stage.pool(connections: 3, waiting: 40)
        let ends = await withTaskGroup(of: PostgreSQLError?.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    await failure { try await pool.run("SELECT pg_sleep(0.02)::text") }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let refused = ends.compactMap(\.self)
        #expect(ends.count == 60 && refused.allSatisfy { $0 == .overloaded(.queueFull(countMax: 40)) })
        #expect((1...20).contains(refused.count), "\(refused.count)")
        let sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()" as Statement
        #expect(try await pool.number(sessions) <= 3)
        await pool.close()
        #expect(await failure { try await pool.run("SELECT 1") } == .notDone(.closed))
    }

    @Test func `a call that is cancelled ends, whether it waits or runs, and the next one is served`() async throws {
        let stage = try await ServerStage.shared()
        let pool = try stage.pool(connections: 1)
        try await pool.run("SELECT 1")
        let sleep = "SELECT pg_sleep(900)::text" as Statement
        let running = Task { await failure { try await pool.run(sleep) } }
        let waiting = Task { await failure { try await pool.run("SELECT 2") } }
        let other = try stage.pool(connections: 1)
        try await other.waitFor(
            """
            SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep(900)%' AND state = 'active'
            """
        )
        waiting.cancel()
        #expect(await waiting.value == .notDone(.cancelled))
        running.cancel()
        #expect(await running.value == .uncertain(.cancelled))
        try await pool.run("SELECT 3")
        // The pool ends the session that is left.
        try await other.waitFor(
            """
            SELECT WHERE NOT EXISTS (
                SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep(900)%'
            )
            """
        )
        await pool.close()
        await other.close()
    }

    @Test func `a listener hears what is said in other sessions, and again after the server's restart`() async throws {
        let stage = try ServerStage()
        let pool = try stage.pool()
        let (events, feed) = AsyncStream.makeStream(of: NotificationListener.Event.self)
        let listener = NotificationListener(
            try DatabaseURL(stage.localURL),
            listen: Statement(once: "LISTEN queue"),
            on: stage.loop
        ) { feed.yield($0) }
        var heard = events.makeAsyncIterator()
        #expect(await heard.next() == .listening)
        try await pool.run("SELECT pg_notify('queue', $1)::text", .text("7"))
        #expect(await heard.next() == .notified("7"))
        try stage.server.stop()
        try stage.server.start()
        var next = await heard.next()
        while case .lost? = next { next = await heard.next() }
        #expect(next == .listening)
        await listener.close()
        await pool.close()
    }
}

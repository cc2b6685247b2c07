import Envelope
internal import Platform
internal import PostgreSQL
internal import Primitives
internal import PushStore

/// Ids that one relay issues. Its number is in each of them; the tables' keys refuse an id that is there already.
struct IDSource {
    private static let dayLength: Int64 = 86_400_000 << 21

    private(set) var sequence = EntrySequence(last: 0, incarnation: 0)
    private(set) var number: UInt8 = 0
    /// Days whose tables are there.
    private(set) var days: Set<Int64> = []

    /// - Parameter newest: greatest id in the database.
    mutating func begin(_ number: UInt8, after newest: Int64) {
        self.number = number
        sequence = EntrySequence(last: min(max(newest >> 8, sequence.last), 1 << 54), incarnation: number)
    }

    mutating func next(_ shard: Shard, milliseconds: UInt64) -> EntryID {
        EntryID(sequence: sequence.next(milliseconds: milliseconds), shard: shard)
    }

    /// First of `count` ids for hooks, each `Conclusion.hookStep` after the one before. A restored database must not give a known
    /// hook's number to another: hence the random bits.
    mutating func hooks(_ count: Int, milliseconds: UInt64, random: UInt8) -> Int64 {
        guard count > 0 else { return 0 }
        let first = sequence.next(milliseconds: milliseconds)
        for _ in 1..<count { _ = sequence.next(milliseconds: milliseconds) }
        return first << 8 | Int64(random)
    }

    static func day(of id: EntryID) -> Int64 { id.value / dayLength }

    static func day(at milliseconds: UInt64) -> Int64 { (EntrySequence.first(at: milliseconds) << 8) / dayLength }

    /// First id of a day.
    static func start(of day: Int64) -> Int64 { day * dayLength }

    mutating func note(_ day: Int64) { days.insert(day) }

    mutating func forget(_ day: Int64) { days.remove(day) }
}

extension PostgreSQLStore {
    private static let claim: Statement = """
        UPDATE sealedpush.number SET relay = $1, until = sealedpush.lease_clock() + $2
        WHERE number = (
            SELECT number FROM sealedpush.number WHERE until <= sealedpush.lease_clock() OR relay = $1
            ORDER BY relay IS NOT DISTINCT FROM $1 DESC, until, number LIMIT 1 FOR UPDATE SKIP LOCKED
        ) RETURNING number
        """

    /// Takes a number for ids that no other living relay has, and begins after the newest id.
    func claimNumber() async throws(StoreError) {
        var batch = Batch(writes: true)
        batch.add(Self.claim, .bytes(relay.rawRepresentation), .int64(Int64(settings.numberTerm / .milliseconds(1))))
        batch.add(
            """
            SELECT greatest((SELECT max(id) FROM sealedpush.entry), (SELECT max(id) FROM sealedpush.hook), 0)
            """
        )
        let results = try await run(batch)
        let (number, newest) = try Self.decode { () throws(PostgreSQLError) in
            (try results[0].rows.first?.int64(0), try results[1].rows.first?.int64(0))
        }
        // 256 relays live, or lived until a moment ago.
        guard let number = number.flatMap({ UInt8(exactly: $0) }) else { throw .overloaded }
        ids.withLock { $0.begin(number, after: newest ?? 0) }
    }

    /// Keeps the number, or takes another one.
    func renewNumber() async throws(StoreError) {
        var batch = Batch(writes: true)
        batch.add(
            """
            UPDATE sealedpush.number SET until = sealedpush.lease_clock() + $3 WHERE number = $1 AND relay = $2
            """,
            .int64(Int64(ids.withLock { $0.number })),
            .bytes(relay.rawRepresentation),
            .int64(Int64(settings.numberTerm / .milliseconds(1)))
        )
        if try await run(batch)[0].changedCount == 0 { try await claimNumber() }
    }

    func freeNumber() async throws(StoreError) {
        var batch = Batch(writes: true)
        batch.add(
            "UPDATE sealedpush.number SET relay = NULL, until = 0 WHERE relay = $1",
            .bytes(relay.rawRepresentation)
        )
        _ = try await run(batch)
    }

    /// Makes the tables of ids' days, and of tomorrow's.
    func makeDays(_ ids: some Sequence<EntryID>) async throws(StoreError) {
        var days: Set<Int64> = []
        for id in ids { days.insert(IDSource.day(of: id)) }
        let known = self.ids.withLock { $0.days }
        guard !days.isSubset(of: known) else { return }
        for day in Set(days.flatMap { [$0, $0 + 1] }).subtracting(known).sorted() {
            var batch = Batch(writes: true)
            batch.add("SELECT sealedpush.make_day($1)::text", .int64(day))
            _ = try await run(batch)
            self.ids.withLock { $0.note(day) }
        }
    }
}

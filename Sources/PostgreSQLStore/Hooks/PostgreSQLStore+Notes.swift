internal import PostgreSQL
package import PushStore

extension PostgreSQLStore: NoteTable {
    private static let select: Statement = """
        SELECT given.ordinal, note.bytes FROM unnest($1) WITH ORDINALITY AS given (name, ordinal)
        JOIN sealedpush.note USING (name)
        """
    private static let insert: Statement = """
        INSERT INTO sealedpush.note (name, bytes) SELECT * FROM unnest($1, $2)
        """
    private static let update: Statement = """
        WITH made AS (
            UPDATE sealedpush.note SET bytes = given.bytes FROM unnest($1, $2, $3) AS given (name, bytes, known)
            WHERE note.name = given.name AND note.bytes = given.known RETURNING 1
        )
        SELECT sealedpush.require(count(*) = $4)::text FROM made
        """

    package func notes(_ names: [String]) async throws(StoreError) -> [[UInt8]] {
        try await present(names).map { $0 ?? [] }
    }

    private func present(_ names: [String]) async throws(StoreError) -> [[UInt8]?] {
        for name in names { try NoteLimits.check(name) }
        let rows = try await read(Self.select, .bytesList(names.map { Array($0.utf8) }))
        return try Self.decode { () throws(PostgreSQLError) in
            var notes: [[UInt8]?] = names.map { _ in nil }
            for row in rows {
                let index = Int(clamping: try row.int64(0) - 1)
                guard notes.indices.contains(index) else { throw .broken(.unexpectedResult(column: 0)) }
                notes[index] = try row.bytes(1)
            }
            return notes
        }
    }

    package func replace(_ notes: [NoteChange]) async throws(StoreError) -> [[UInt8]]? {
        for note in notes { try NoteLimits.check(note) }
        return try await untilUnchanged { () async throws(StoreError) -> [[UInt8]]?? in
            let present = try await self.present(notes.map(\.name))
            let bytes = present.map { $0 ?? [] }
            guard zip(notes, bytes).allSatisfy({ $0.known == NoteChange.sum($1) }) else { return .some(bytes) }
            // In one order for all relays.
            let changes = zip(notes, present).filter { $0.bytes != $1 }.sorted { $0.0.name < $1.0.name }
            let (new, old) = (changes.filter { $0.1 == nil }, changes.filter { $0.1 != nil })
            guard !changes.isEmpty else { return .some(nil) }
            var batch = Batch(writes: true)
            if !new.isEmpty { batch.add(Self.insert, Self.columns(new.map(\.0))) }
            if !old.isEmpty {
                let known = Parameter.bytesList(old.map(\.1))
                batch.add(Self.update, Self.columns(old.map(\.0)) + [known, .int64(Int64(old.count))])
            }
            return try await runUnlessChanged(batch) == nil ? nil : .some(nil)
        }
    }

    private static func columns(_ notes: [NoteChange]) -> [Parameter] {
        [.bytesList(notes.map { Array($0.name.utf8) }), .bytesList(notes.map(\.bytes))]
    }
}

internal import APNS
internal import Envelope
internal import PostgreSQL
package import PushStore

/// Copy of a SQLite store into an empty database, which goes on where an earlier one stopped.
///
/// Opening the file has settled what was in flight. Each page of rows is one transaction with the position after it, and
/// a row that is there stays: so a repetition doubles nothing. Until the copy is whole no relay opens the database.
package struct StoreMove: Sendable {
    package enum Failure: Error, Equatable, Sendable {
        case store(StoreError)
        /// The database has contents that are not of this copy.
        case otherContents
    }

    /// Rows that a copy has taken over.
    package typealias Counts = [CopiedTable: Int]

    static let markName = Array("move".utf8)
    private static let pageCount = 1_000

    private let source: SQLiteStore
    private let target: PostgreSQLStore

    /// - Parameter target: opened with `isMoving`, under the same key.
    package init(from source: SQLiteStore, to target: PostgreSQLStore) {
        self.source = source
        self.target = target
    }

    /// - Returns: rows that this call has read.
    package func run() async throws(Failure) -> Counts {
        do throws(StoreError) {
            let identity = target.secrets.tag(.check, [try await source.identity()])
            guard var mark = try await begin(identity) else { return [:] }
            var counts: Counts = [:]
            while let table = mark.table {
                let page = try await source.copy(table, after: mark.position, limit: Self.pageCount)
                counts[table, default: 0] += page.rows.count
                mark.advance(page.next)
                try await store(table, page.rows, mark)
            }
            return counts
        } catch {
            throw error == .inUse ? .otherContents : .store(error)
        }
    }

    private static let selectMark: Statement = "SELECT value FROM sealedpush.meta WHERE name = $1"
    private static let selectContents: Statement = """
        SELECT EXISTS (SELECT FROM sealedpush.device) OR EXISTS (SELECT FROM sealedpush.entry)
            OR EXISTS (SELECT FROM sealedpush.request) OR EXISTS (SELECT FROM sealedpush.note)
            OR EXISTS (SELECT FROM sealedpush.endpoint_block) OR EXISTS (SELECT FROM sealedpush.gateway)
        """
    private static let setMark: Statement = """
        INSERT INTO sealedpush.meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value
        """

    /// - Returns: nil if the copy is whole.
    /// - Throws: `.inUse` for other contents.
    private func begin(_ identity: [UInt8]) async throws(StoreError) -> MoveMark? {
        var batch = Batch(writes: false)
        batch.add(Self.selectMark, .bytes(Self.markName))
        batch.add(Self.selectContents)
        let (known, hasContents) = try await target.read(batch) { results throws(PostgreSQLError) in
            (
                try results[0].rows.first.map { row throws(PostgreSQLError) in try row.bytes(0) },
                try results[1].rows.first?.bool(0) ?? true
            )
        }
        guard let known else {
            guard !hasContents else { throw .inUse }
            let mark = MoveMark(identity: identity)
            var batch = Batch(writes: true)
            batch.add(Self.setMark, .bytes(Self.markName), .bytes(mark.bytes))
            _ = try await target.run(batch)
            return mark
        }
        guard let mark = MoveMark(known), mark.identity == identity else { throw .inUse }
        return mark.table == nil ? nil : mark
    }

    private func store(
        _ table: CopiedTable,
        _ rows: [[CopiedValue]],
        _ mark: MoveMark
    ) async throws(StoreError) {
        var batch = Batch(writes: true)
        if !rows.isEmpty {
            if table == .entries { try await target.makeDays(rows.compactMap(Self.id)) }
            let rows = rows.map { MovedRow(table, $0, target.secrets).values }
            let columns = MovedRow.columns(rows, integers: MoveStatements.integers(table))
            for statement in MoveStatements.inserts(table) { batch.add(statement, columns) }
        }
        if mark.table == nil { for statement in MoveStatements.counts { batch.add(statement) } }
        batch.add(Self.setMark, .bytes(Self.markName), .bytes(mark.bytes))
        _ = try await target.run(batch)
    }

    private static func id(_ row: [CopiedValue]) -> EntryID? {
        guard case .integer(let id)? = row.first else { return nil }
        return EntryID(value: id)
    }
}

/// Progress of a copy: the source, the table and the position in it.
struct MoveMark: Equatable {
    let identity: [UInt8]
    /// nil at the end.
    private(set) var table: CopiedTable?
    private(set) var position: Int64 = 0

    init(identity: [UInt8]) {
        self.identity = identity
        table = CopiedTable.allCases.first
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count == 41 else { return nil }
        identity = Array(bytes[..<32])
        table = CopiedTable(rawValue: bytes[32])
        position = bytes[33...].reduce(0) { $0 << 8 | Int64($1) }
    }

    var bytes: [UInt8] {
        identity + [table?.rawValue ?? .max] + (0..<8).map { UInt8(truncatingIfNeeded: position >> (56 - 8 * $0)) }
    }

    /// - Parameter next: nil at the table's end.
    mutating func advance(_ next: Int64?) {
        position = next ?? 0
        if next == nil, let table { self.table = CopiedTable(rawValue: table.rawValue + 1) }
    }
}

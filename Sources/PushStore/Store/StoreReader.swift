internal import APNS
internal import Envelope
internal import Platform

/// Reading half of a store: sees committed data, never waits for the writer.
package final class StoreReader {
    let sql: StatementCache
    /// Hot statements, without a lookup by text.
    let selectRegistration: SQLiteStatement
    let selectDue: SQLiteStatement
    let selectDueTogether: SQLiteStatement
    let selectWithPayload: SQLiteStatement
    let tenants: TenantTable
    let registry: RegistryView
    let places: DeviceSlots
    let vault: TokenVault
    let cursors: CursorSeal
    let memories: TraceMemories
    /// The last registration's.
    var lastTopic: Topic?
    private let begin: SQLiteStatement
    private let end: SQLiteStatement
    private let connection: SQLiteConnection
    private let file: StoreFile

    init(
        _ connection: SQLiteConnection,
        registry: RegistryView,
        places: DeviceSlots,
        file: StoreFile,
        secrets: StoreSecrets,
        memories: TraceMemories
    ) throws(StoreError) {
        self.connection = connection
        self.registry = registry
        self.places = places
        self.file = file
        self.memories = memories
        begin = try connection.prepare("BEGIN")
        end = try connection.prepare("COMMIT")
        sql = StatementCache(connection)
        selectRegistration = try connection.prepare(RegistrationRow.select)
        selectDue = try connection.prepare(
            """
            SELECT due, entry FROM waiting INDEXED BY waiting_queue
            WHERE state = 0 AND tenant = ? AND lane = ? AND tried = ? AND due > ? AND due <= ?
            ORDER BY due, entry
            """
        )
        selectDueTogether = try connection.prepare(
            """
            SELECT due, entry FROM waiting INDEXED BY waiting_queue
            WHERE state = 0 AND tenant = ? AND lane = ? AND tried = ? AND due = ? AND entry > ?
            ORDER BY entry
            """
        )
        selectWithPayload = try connection.prepare(
            """
            SELECT \(EntryRow.columns), payload.bytes FROM entry
            LEFT JOIN payload ON payload.entry = entry.id WHERE entry.id = ?
            """
        )
        tenants = try TenantTable(connection)
        vault = TokenVault(secrets)
        cursors = CursorSeal(secrets)
    }

    /// Runs reads on one snapshot, with one lock.
    func together<Value>(_ looks: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        try begin.runBound()
        do throws(StoreError) {
            let value = try looks()
            try end.runBound()
            return value
        } catch {
            // Nothing was written.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    func entries(_ ids: [EntryID], tenant: TenantID) throws(StoreError) -> [OutboxEntry?] {
        guard let number = try tenants.number(tenant) else { return ids.map { _ in nil } }
        var entries: [OutboxEntry?] = []
        for id in ids {
            let found = try sql("SELECT \(EntryRow.columns) FROM entry WHERE id = ? AND tenant = ?").first(
                [.integer(id.value), .integer(number)],
                whole
            )
            entries.append(found ?? nil)
        }
        return entries
    }

    func entry(apnsID: APNSID, tenant: TenantID) throws(StoreError) -> OutboxEntry? {
        guard let number = try tenants.number(tenant) else { return nil }
        var entry: OutboxEntry?
        try entryNumbers(apnsID: apnsID) { id throws(StoreError) in
            let found = try sql("SELECT \(EntryRow.columns) FROM entry WHERE id = ? AND tenant = ?").first(
                [.integer(id), .integer(number)],
                whole
            )
            if let found = found ?? nil, found.apnsID == apnsID { entry = found }
            return entry == nil
        }
        return entry
    }

    func entries(device: DeviceKey, limit: Int) throws(StoreError) -> [OutboxEntry] {
        guard let number = try tenants.number(device.tenant) else { return [] }
        let limit = Page<OutboxEntry>.clamped(limit)
        var entries: [OutboxEntry] = []
        try entryNumbers(device: device.device.bytes, tenant: number) { id throws(StoreError) in
            let found = try sql("SELECT \(EntryRow.columns) FROM entry WHERE id = ? AND tenant = ?").first(
                [.integer(id), .integer(number)],
                whole
            )
            if let entry = found ?? nil, entry.device == device.device { entries.append(entry) }
            return entries.count < limit
        }
        return entries
    }

    func attempts(_ id: EntryID, tenant: TenantID) throws(StoreError) -> [Attempt] {
        guard let number = try tenants.number(tenant) else { return [] }
        let first = try sql("SELECT first_attempt FROM entry WHERE id = ? AND tenant = ?").first(
            [.integer(id.value), .integer(number)]
        ) { FirstAttempt.decode($0.bytes(0)) }
        guard let first else { return [] }
        return try [first].compactMap { $0 }
            + sql(
                """
                SELECT time, connection, status, attempt.reason, unique_id FROM attempt
                JOIN entry ON entry.id = attempt.entry WHERE attempt.entry = ? AND entry.tenant = ? ORDER BY ordinal
                """
            ).all([.integer(id.value), .integer(number)]) { row in
                Attempt(
                    time: Timestamp(column: row.integer(0)),
                    // The cautious reading of a damaged row.
                    connection: UInt8(exactly: row.integer(1)).flatMap(Attempt.Connection.init) ?? .ambiguous,
                    status: row.optionalInteger(2).map { Int(clamping: $0) },
                    reason: row.optionalText(3),
                    uniqueID: row.optionalText(4)
                )
            }
    }

    func deadLetters(tenant: TenantID, after cursor: Cursor?, limit: Int) throws(StoreError) -> Page<OutboxEntry> {
        let limit = Page<OutboxEntry>.clamped(limit)
        var before = Int64.max
        if let cursor {
            let position = try cursors.open(cursor, of: .deadLetters, tenant: tenant)
            guard let ids = IDList.decode(position), ids.count == 1 else { throw .invalidCursor }
            before = ids[0].value
        }
        guard let number = try tenants.number(tenant) else { return Page(elements: [], next: nil) }
        let found = try sql(
            """
            SELECT \(EntryRow.columns) FROM entry WHERE id IN
                (SELECT entry FROM dead WHERE tenant = ? AND entry < ? ORDER BY entry DESC LIMIT ?)
            ORDER BY id DESC
            """
        ).all([.integer(number), .integer(before), .integer(Int64(limit))]) { [tenants] row throws(StoreError) in
            (id: row.integer(0), entry: try EntryRow(row, tenants)?.entry)
        }
        let last = found.count == limit ? found.last.flatMap { EntryID(value: $0.id) } : nil
        return Page(
            elements: found.compactMap(\.entry),
            next: last.map { cursors.seal(IDList.encode([$0]), of: .deadLetters, tenant: tenant) }
        )
    }

    func whole(_ row: SQLiteRow) throws(StoreError) -> OutboxEntry? { try EntryRow(row, tenants)?.entry }
}

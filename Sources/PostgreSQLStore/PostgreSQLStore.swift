package import Envelope
internal import Platform
package import PostgreSQL
internal import Primitives
package import PushStore

/// Data of several relays in one database, for one of them.
///
///     let store = try await PostgreSQLStore.open(pool, key: key, relay: relay, now: now)
///     let taken = try await store.acquire(.all, for: relay, lasting: term, now: now)
package final class PostgreSQLStore: Sendable {
    package let relay: RelayID
    let pool: DatabasePool
    let settings: PostgreSQLStoreSettings
    let secrets: StoreSecrets
    let vault: TokenVault
    let cursors: CursorSeal
    let table: LeaseTable
    /// Leases of entries that this process has taken.
    let leases = Guarded(EntryLeases())
    let ids: Guarded<IDSource>
    let queue = Guarded(QueueCounts())
    /// For each lane, the tenant served last.
    let lastTenants = Guarded<[Lane: [UInt8]]>([:])
    /// The last entries of purges that ended at their limit.
    let purgePositions = Guarded<[ShardSet: Int64]>([:])
    let notices = Guarded(QueueNotices())
    let slots = Guarded(TallySlots())
    /// Turns of tenants that are equal otherwise.
    let turns = Guarded(0)
    let healthBox = Guarded(StoreHealth.writable)
    /// Shards of each relay that uses this store, as far as it knows.
    let owned = Guarded<[RelayID: ShardLeases]>([:])
    /// Calls that go on after their caller has its answer.
    let rest = Guarded<[UInt64: Task<Void, Never>]>([:])
    let lastHealth = Guarded(StoreHealth.writable)
    let lead = Guarded(ClockLead())
    /// Result of the last comparison of clocks.
    let clockFault = Guarded<StoreError?>(nil)
    private let isClosed = Guarded(false)

    /// Opens the store of a database whose schema is migrated.
    ///
    /// - Parameters:
    ///   - pool: its sessions have `LeaseTable.applicationName` of the relay. It is the store's from now on.
    ///   - isMoving: true for a copy of another store into it, which may be unfinished.
    ///   - now: ids begin after it.
    /// - Throws: `.wrongKey`, `.wrongClock`, `.inUse` before such a copy is whole, and errors of the database.
    package static func open(
        _ pool: DatabasePool,
        key: borrowing StoreKey,
        relay: RelayID,
        settings: PostgreSQLStoreSettings = PostgreSQLStoreSettings(),
        isMoving: Bool = false,
        now: Timestamp
    ) async throws(StoreError) -> PostgreSQLStore {
        let store = PostgreSQLStore(pool, StoreSecrets(key), relay, settings)
        try await store.checkKey()
        try await store.checkClock()
        if !isMoving { try await store.checkMove() }
        try await store.claimNumber()
        return store
    }

    private init(
        _ pool: DatabasePool,
        _ secrets: StoreSecrets,
        _ relay: RelayID,
        _ settings: PostgreSQLStoreSettings
    ) {
        self.pool = pool
        self.secrets = secrets
        self.relay = relay
        self.settings = settings
        vault = TokenVault(secrets)
        cursors = CursorSeal(secrets)
        table = LeaseTable(pool, deadline: settings.callTime)
        ids = Guarded(IDSource())
    }

    /// Ends calls and connections. Later calls throw `.closed`.
    package func close() async {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        guard isFirst else { return }
        let tasks = rest.withLock { Array($0.values) }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        await notices.withLock { $0.listener }?.close()
        // Without these, number and share are free again after their terms.
        try? await freeNumber()
        try? await table.leave(relay)
        await pool.close()
    }

    // MARK: Batches

    /// Runs a batch as one transaction.
    func run(_ batch: Batch) async throws(StoreError) -> [QueryResult] {
        do throws(PostgreSQLError) {
            return try await pool.run(batch, within: settings.callTime)
        } catch {
            throw StoreError(error)
        }
    }

    /// Runs one statement that stores nothing.
    func read(_ statement: Statement, _ parameters: Parameter...) async throws(StoreError) -> [Row] {
        var batch = Batch(writes: false)
        batch.add(statement, parameters)
        return try await run(batch).first?.rows ?? []
    }

    /// Decodes rows; one of another form is damage.
    static func decode<Value>(_ body: () throws(PostgreSQLError) -> Value) throws(StoreError) -> Value {
        do throws(PostgreSQLError) {
            return try body()
        } catch {
            throw StoreError(error)
        }
    }

    /// Starts a call with a completion. Its task ends with the call, in `settings.callTime` at the latest.
    static func start<Value: Sendable>(
        _ completion: @escaping StoreCompletion<Value>,
        _ body: @escaping @Sendable () async throws(StoreError) -> Value
    ) -> StoreCall {
        let task = Task {
            do throws(StoreError) {
                completion(.success(try await body()))
            } catch {
                completion(.failure(error))
            }
        }
        return StoreCall { task.cancel() }
    }

    private func checkMove() async throws(StoreError) {
        let rows = try await read("SELECT value FROM sealedpush.meta WHERE name = $1", .bytes(StoreMove.markName))
        let mark = try Self.decode { () throws(PostgreSQLError) in try rows.first?.bytes(0) }
        guard mark.map({ MoveMark($0)?.table == nil }) ?? true else { throw .inUse }
    }

    private func checkKey() async throws(StoreError) {
        var batch = Batch(writes: true)
        let (name, check) = (Parameter.bytes(Array("key".utf8)), secrets.tag(.check, []))
        batch.add(
            "INSERT INTO sealedpush.meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
            name,
            .bytes(check)
        )
        batch.add("SELECT value FROM sealedpush.meta WHERE name = $1", name)
        let rows = try await run(batch)[1].rows
        let known = try Self.decode { () throws(PostgreSQLError) in try rows.first?.bytes(0) }
        guard known == check else { throw .wrongKey }
    }
}

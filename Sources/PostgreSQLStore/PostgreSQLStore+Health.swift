internal import Platform
internal import PostgreSQL
package import PushStore

extension PostgreSQLStore: RelayStore {
    package var health: StoreHealth { healthBox.withLock { $0 } }

    /// False: each call connects anew by itself.
    package var needsOpening: Bool { false }

    /// A restart would find the same database: true, however long that is away.
    package func isAnswering() async -> Bool { true }

    /// One batch of five seconds: a database that is silent, or a commit that no standby confirms, must not look like a
    /// relay that hangs.
    package func probe(byteCount: Int) async throws(StoreError) {
        var batch = Batch(writes: true)
        batch.add("SELECT coalesce(max(version), 0) FROM sealedpush.stamp")
        batch.add("SELECT current_setting('synchronous_standby_names')")
        let bytes = [UInt8](repeating: 0x50, count: byteCount)
        batch.add(Self.writeProbe, .bytes(Array("probe".utf8)), .bytes(bytes))
        do throws(StoreError) {
            let (version, standbys) = try await probed(batch)
            guard SchemaMigration.standing(of: version) == .usable else { throw .otherSchema }
            guard !settings.requiresStandby || !standbys.isEmpty else { throw .noStandby }
            if let fault = clockFault.withLock({ $0 }) { throw fault }
            healthBox.withLock { $0 = .writable }
        } catch {
            if let health = StoreHealth(error) { healthBox.withLock { $0 = health } }
            throw error
        }
    }

    private func probed(_ batch: Batch) async throws(StoreError) -> (version: Int, standbys: String) {
        do throws(PostgreSQLError) {
            let results = try await pool.run(batch, within: .seconds(5))
            return (
                Int(clamping: try results[0].rows.first?.int64(0) ?? 0), try results[1].rows.first?.text(0) ?? ""
            )
        } catch {
            throw StoreError(error)
        }
    }

    private static let writeProbe: Statement = """
        INSERT INTO sealedpush.note (name, bytes) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes
        """

    /// Each call has a deadline of its own.
    package func endOverdue() {}

    /// An earlier copy is the database's own matter.
    package func renewStamp() async throws(StoreError) {}

    package func emptyLog() async throws(StoreError) -> Bool { true }
}

extension StoreHealth {
    /// nil for an error that says nothing of the database's.
    fileprivate init?(_ error: StoreError) {
        switch error {
        case .full: self = .full
        case .unwritable: self = .unwritable
        case .broken: self = .broken
        default: return nil
        }
    }
}

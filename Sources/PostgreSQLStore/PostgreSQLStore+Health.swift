internal import Platform
internal import PostgreSQL
package import PushStore

extension PostgreSQLStore: RelayStore {
    package var health: StoreHealth { healthBox.withLock { $0 } }

    /// False: each call connects anew by itself.
    package var needsOpening: Bool { false }

    /// A restart would find the same database: true, however long that is away.
    package func isAnswering() async -> Bool { true }

    /// In three seconds: a commit that no standby confirms waits without an end.
    package func probe(byteCount: Int) async throws(StoreError) {
        do throws(StoreError) {
            try await requireReadiness()
            var batch = Batch(writes: true)
            let bytes = [UInt8](repeating: 0x50, count: byteCount)
            batch.add(Self.writeProbe, .bytes(Array("probe".utf8)), .bytes(bytes))
            do throws(PostgreSQLError) {
                _ = try await pool.run(batch, within: .seconds(3))
            } catch {
                throw StoreError(error)
            }
            healthBox.withLock { $0 = .writable }
        } catch {
            if let health = StoreHealth(error) { healthBox.withLock { $0 = health } }
            throw error
        }
    }

    private static let writeProbe: Statement = """
        INSERT INTO sealedpush.note (name, bytes) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes
        """

    private func requireReadiness() async throws(StoreError) {
        let readiness: DatabaseReadiness
        do throws(PostgreSQLError) {
            readiness = try await DatabaseReadiness.check(pool, requiresStandby: settings.requiresStandby)
        } catch {
            throw StoreError(error)
        }
        switch readiness {
        case .ready: return
        case .noStandby: throw .noStandby
        case .schema: throw .otherSchema
        }
    }

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

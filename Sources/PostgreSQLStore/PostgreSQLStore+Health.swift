internal import Platform
internal import PostgreSQL
package import PushStore

extension PostgreSQLStore: RelayStore {
    package var health: StoreHealth { healthBox.withLock { $0 } }

    /// False: each call connects anew by itself.
    package var needsOpening: Bool { false }

    package func isAnswering() async -> Bool {
        do throws(StoreError) {
            _ = try await read("SELECT 1::int8")
            return true
        } catch {
            // A restart would find the same database.
            return error != .closed
        }
    }

    package func probe(byteCount: Int) async throws(StoreError) {
        let known = try await notes([Self.probeName])[0]
        // Other bytes than before, so that they are written.
        let bytes = [UInt8](repeating: known.first == 0x50 ? 0x51 : 0x50, count: byteCount)
        do throws(StoreError) {
            _ = try await replace([NoteChange(Self.probeName, known: NoteChange.sum(known), bytes: bytes)])
            healthBox.withLock { $0 = .writable }
        } catch {
            if let health = StoreHealth(error) { healthBox.withLock { $0 = health } }
            throw error
        }
    }

    private static let probeName = "probe"

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

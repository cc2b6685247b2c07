import Envelope
import Keys
import Platform
import Primitives

@testable import Opening

/// A store that records its reads, and can run a closure in the middle of one.
final class RecordingStore: SecretStore {
    private let store: any SecretStore
    private let readNames = Guarded<[RecordName]>([])
    private let before: @Sendable (RecordName) -> Void

    init(_ store: any SecretStore, beforeRead: @escaping @Sendable (RecordName) -> Void = { _ in }) {
        self.store = store
        before = beforeRead
    }

    var reads: [RecordName] { readNames.withLock { $0 } }

    func forget() { readNames.withLock { $0 = [] } }

    func read(_ name: RecordName) throws(SecretStoreError) -> SecretBytes {
        readNames.withLock { $0.append(name) }
        before(name)
        return try store.read(name)
    }

    func write(_ record: RawSpan, to name: RecordName, protection: ProtectionClass) throws(SecretStoreError) {
        try store.write(record, to: name, protection: protection)
    }

    func delete(_ name: RecordName) throws(SecretStoreError) { try store.delete(name) }
    func names() throws(SecretStoreError) -> [RecordName] { try store.names() }
    func removeRemains() throws(SecretStoreError) { try store.removeRemains() }
}

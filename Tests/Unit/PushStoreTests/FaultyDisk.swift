import CStoreFaults
import Envelope
import PushStore
import PushStorePattern
import Synchronization
import Testing

/// A disk that fails on demand, with stores on it.
@safe
final class FaultyDisk {
    private static let created = Atomic<Int>(0)
    private let handle: OpaquePointer
    let name: String

    init() throws {
        name = "faulty-\(Self.created.add(1, ordering: .relaxed).newValue)"
        unsafe handle = try #require(unsafe store_faults_create(name))
    }

    /// Every store on it must be closed before.
    deinit { unsafe store_faults_destroy(handle) }

    var operationCount: Int { unsafe store_faults_operation_count(handle) }
    var hasLostPower: Bool { unsafe store_faults_has_lost_power(handle) != 0 }

    /// Drops what was not synced before this operation, except a percentage of the writes.
    func losePower(at operation: Int, percentKept: Int = 0, seed: UInt64 = 1) {
        unsafe store_faults_lose_power(handle, operation, Int32(percentKept), UInt(seed))
    }

    /// Makes space run out from this operation on; 0 for space again.
    func fill(from operation: Int) { unsafe store_faults_fill(handle, operation) }

    /// Makes writes fail from this operation on; 0 for good ones again.
    func failWrites(from operation: Int) { unsafe store_faults_fail_writes(handle, operation) }

    func failNextSync() { unsafe store_faults_fail_sync(handle) }

    func open(_ path: String, synchronous: StoreSettings.Synchronous = .full) throws -> SQLiteStore {
        let settings = StoreSettings(synchronous: synchronous, fileSystem: name)
        return try SQLiteStore(path: path, key: try StorePattern.key(), settings: settings, now: StorePattern.start)
    }
}

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

    /// Only when every store on it is closed.
    deinit { unsafe store_faults_destroy(handle) }

    var operationCount: Int { unsafe store_faults_operation_count(handle) }
    var hasLostPower: Bool { unsafe store_faults_has_lost_power(handle) != 0 }

    /// Before the operation of this number what was not synced is gone, but for so many writes in a hundred.
    func losePower(at operation: Int, percentKept: Int = 0, seed: UInt64 = 1) {
        unsafe store_faults_lose_power(handle, operation, Int32(percentKept), UInt(seed))
    }

    /// From the operation of this number on there is no space; 0 for space again.
    func fill(from operation: Int) { unsafe store_faults_fill(handle, operation) }

    /// From the operation of this number on writes fail; 0 for good ones again.
    func failWrites(from operation: Int) { unsafe store_faults_fail_writes(handle, operation) }

    func failNextSync() { unsafe store_faults_fail_sync(handle) }

    func open(_ path: String, synchronous: StoreSettings.Synchronous = .full) throws -> SQLiteStore {
        let settings = StoreSettings(synchronous: synchronous, fileSystem: name)
        return try SQLiteStore(path: path, key: try StorePattern.key(), settings: settings, now: StorePattern.start)
    }
}

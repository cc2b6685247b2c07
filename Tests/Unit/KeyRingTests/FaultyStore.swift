import Envelope
import Keys
import Platform
import Primitives

@testable import Opening

/// Time and manner of the end of a process that uses some stores. Counts the operations of all of them.
final class Faults: Sendable {
    enum Kind: CaseIterable, Sendable {
        /// The operation has no effect, and the process is gone.
        case diesBefore
        /// A file half written, and the process is gone.
        case diesHalfway
        /// The operation has its effect, and the process is gone.
        case diesAfter
        /// The operation fails (a full disk), and the process lives on.
        case fails
    }

    private struct State {
        var operationCount = 0
        var plan: (operation: Int, kind: Kind)?
        var isDead = false
    }

    private let state = Guarded(State())

    /// Counts anew; the operation of this number goes wrong.
    func plan(_ kind: Kind, at operation: Int) {
        state.withLock { $0 = State(operationCount: 0, plan: (operation, kind), isDead: false) }
    }

    func clear() { state.withLock { $0 = State() } }

    var operationCount: Int { state.withLock { $0.operationCount } }

    static let died = SecretStoreError.system(call: "died", code: 0)
    static let failed = SecretStoreError.system(call: "write", code: ENOSPC)

    func perform<Result>(
        half: () throws(SecretStoreError) -> Void = {},
        _ operation: () throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result {
        let kind: Kind? = try state.withLock { state throws(SecretStoreError) in
            if state.isDead { throw Self.died }
            defer { state.operationCount += 1 }
            guard let plan = state.plan, plan.operation == state.operationCount else { return nil }
            state.isDead = plan.kind != .fails
            return plan.kind
        }
        switch kind {
        case nil: return try operation()
        case .diesBefore: throw Self.died
        case .diesHalfway:
            try half()
            throw Self.died
        case .diesAfter:
            _ = try operation()
            throw Self.died
        case .fails: throw Self.failed
        }
    }
}

/// A file store whose process ends where `Faults` says.
struct FaultyStore: SecretStore {
    let folder: String
    let faults: Faults
    let store: FileSecretStore

    init(folder: String, faults: Faults, lock: @escaping @Sendable () -> DeviceLock) {
        self.folder = folder
        self.faults = faults
        store = FileSecretStore(folder: folder, lock: lock)
    }

    func read(_ name: RecordName) throws(SecretStoreError) -> SecretBytes {
        // SecretBytes cannot be a generic result; the read itself has no effect to come before or after.
        try faults.perform { () throws(SecretStoreError) in }
        return try store.read(name)
    }

    func write(_ record: RawSpan, to name: RecordName, protection: ProtectionClass) throws(SecretStoreError) {
        let bytes = [UInt8](copying: record)
        let half = { () throws(SecretStoreError) in
            do throws(FileError) {
                try PrivateFolder.make(folder, protection: nil)
                let path = folder + "/\(name).secret.4711.12345678.tmp"
                try WholeFile.write(Array("SPrecrd".utf8) + bytes.prefix(bytes.count / 2), to: path, access: .ownerOnly)
            } catch {
                throw SecretStoreError(error)
            }
        }
        let whole = SecretBytes(copying: record)
        try faults.perform(half: half) { () throws(SecretStoreError) in
            try whole.withBytes { bytes throws(SecretStoreError) in
                try store.write(bytes, to: name, protection: protection)
            }
        }
    }

    func delete(_ name: RecordName) throws(SecretStoreError) {
        try faults.perform { () throws(SecretStoreError) in try store.delete(name) }
    }

    func names() throws(SecretStoreError) -> [RecordName] {
        try faults.perform { () throws(SecretStoreError) in try store.names() }
    }

    func removeRemains() throws(SecretStoreError) {
        try faults.perform { () throws(SecretStoreError) in try store.removeRemains() }
    }
}

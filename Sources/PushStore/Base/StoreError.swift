/// Failed store call. `effect` says what it has done; it names no contents.
package enum StoreError: Error, Equatable, Sendable {
    /// No space left. Reads work; each write tries again.
    case full
    /// The file system is read-only, or a write failed. Reads work; each write tries again.
    case unwritable
    /// Too many writes are waiting, or another process writes.
    case overloaded
    /// The connection to the database was lost before the call reached it.
    case disconnected
    /// The call's time was over before it began.
    case timedOut
    /// The caller's task was cancelled before the call began.
    case cancelled
    /// The commit's result is unknown.
    case uncertain
    /// All four places of a new device are taken: by force with the file's key, hardly by chance.
    case noPlace
    case closed
    /// The file is not the one last open here: it is read only until that is acknowledged.
    case restored
    /// Another process has the store.
    case inUse
    /// The file has a second hard link, which would have another lock.
    case otherName
    /// A later version of this program wrote the file.
    case newerFile(version: Int, newestKnown: Int)
    case notAStore
    case wrongKey
    /// The file contradicts itself: `SQLiteStore.integrityReport` says where.
    case damaged
    /// The disk could not keep accepted writes. Only reopening shows what is there.
    case broken
    /// The file was removed, renamed or replaced. Only reopening it, once back, shows what is there.
    case moved
    /// The database has no synchronous standby: a failover would lose what was acknowledged.
    case noStandby
    /// The relay's clock differs from the database's, by so many seconds; negative: it is behind.
    case wrongClock(secondsAhead: Int)
    /// The database's schema is of a version that this program does not work with.
    case otherSchema
    /// The relay no longer owns a shard that the call acts on.
    case lateOwner
    /// Not a position of this list, or from another store.
    case invalidCursor
    /// Field with a length out of bounds.
    case byteCount(field: Field, of: ClosedRange<Int>)
    /// Failed call of the system or SQLite, and its code.
    case failed(operation: Operation, code: Int32)

    package enum Field: String, Sendable {
        case tenant, device, idempotencyKey, requestDigest, entries, payload, bundle, language, region, appVersion, key
        case extraTokens
        case receiptHash, hookDetail, noteName, note
    }

    package enum Operation: String, Sendable {
        case open, lock, prepare, bind, step, sync, backup, thread
    }
}

extension StoreError {
    /// Effect of a failed call, and what its caller may do.
    package enum Effect: Equatable, Sendable {
        /// Nothing. The same call may succeed at once.
        case nothing
        /// Nothing. The same call may succeed later: with room, or less work.
        case overloaded
        /// All or nothing. The same call with the same idempotency key finds out, and does what is missing.
        case uncertain
        /// Nothing, and no call succeeds until an operator helps, or the store is opened anew.
        case broken
        /// Nothing. The same call fails again.
        case refused
    }

    package var effect: Effect {
        switch self {
        case .disconnected, .cancelled, .lateOwner: .nothing
        case .overloaded, .timedOut, .full, .unwritable, .noStandby, .wrongClock: .overloaded
        case .uncertain, .failed, .damaged: .uncertain
        case .broken, .moved, .restored, .closed, .inUse, .otherName, .newerFile, .notAStore, .wrongKey, .otherSchema:
            .broken
        case .noPlace, .invalidCursor, .byteCount: .refused
        }
    }
}

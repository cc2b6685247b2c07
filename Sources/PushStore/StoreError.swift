/// Why the store did not do what it was asked for. Nothing of a failed call is stored (but for what `.broken` and
/// `.moved` leave open), and nothing here says what was in it.
package enum StoreError: Error, Equatable, Sendable {
    /// No space is left on the device. The store stays readable; every later write tries the disk again.
    case full
    /// The disk takes no writes: its file system has become read-only, or a write has failed. The store stays readable;
    /// every later write tries the disk again.
    case unwritable
    /// Too much is waiting to be written already.
    case overloaded
    /// There is no place for a new device: four others' hashes are its own. Nobody can bring that about without the file's key,
    /// and by chance it does not happen.
    case noPlace
    /// The store was closed.
    case closed
    /// The file is not the one that was open here last, and nobody has acknowledged that: it is read and not written.
    case restored
    /// Another process has the store.
    case inUse
    /// The file has a second name (a hard link), whose lock would be another one.
    case otherName
    /// A later version of this program wrote the file.
    case newerFile(version: Int, newestKnown: Int)
    /// The file is something else.
    case notAStore
    /// The file was made with another key.
    case wrongKey
    /// What is in the file contradicts itself: `SQLiteStore.integrityReport` says where.
    case damaged
    /// The disk said that it could not keep what it had taken. Only opening the store anew tells what is there.
    case broken
    /// The file is not where it was opened: it was removed, renamed or replaced. Only opening the store anew, when it is back,
    /// tells what is there.
    case moved
    /// Not a place in this list, or not one that this store gave out.
    case invalidCursor
    /// A field is empty or too long; which, and how long it may be.
    case byteCount(field: Field, of: ClosedRange<Int>)
    /// A call of the system's or of SQLite's, and its code.
    case failed(operation: Operation, code: Int32)

    package enum Field: String, Sendable {
        case tenant, device, idempotencyKey, requestDigest, entries, payload, bundle, language, region, appVersion, key
        case receiptHash, hookDetail, noteName, note
    }

    package enum Operation: String, Sendable {
        case open, lock, prepare, bind, step, sync, backup, thread
    }
}

/// How a store keeps things.
package struct StoreSettings: Sendable {
    /// When a transaction counts as written.
    package enum Synchronous: String, CaseIterable, Sendable {
        /// When the disk says that it is there. The only one that keeps what is promised.
        case full = "FULL"
        /// When the disk has been given it at some checkpoint: a loss of power takes the last transactions with it.
        case normal = "NORMAL"
        /// When the system has taken it. For tests of the tests alone.
        case off = "OFF"
    }

    /// How old the time at which an app was last heard of may become before it is written anew.
    package var sightingStep: Duration
    /// How many entries and registrations may wait to be written; more are refused as `.overloaded`.
    package var waitingMax: Int
    /// How many hooks of a tenant may wait; then the oldest make room.
    package var hookCountMax: Int
    package var synchronous: Synchronous
    /// The name of SQLite's file system; nil for the system's own. Tests bring one that fails.
    package var fileSystem: String?
    /// In place of the file's own keyed hash of devices, by their tenant's number and their id. Tests bring one that collides.
    package var deviceHash: (@Sendable (_ tenant: Int64, _ device: [UInt8]) -> UInt64)?
    /// Hears how an opening goes that takes long, on the store's thread.
    package var whileOpening: (@Sendable (OpeningProgress) -> Void)?
    /// Acknowledges that the database was restored, and says what becomes of that which waits in it; nil: it takes nothing until
    /// that is said.
    package var restoredQueue: RestoredQueue?
    /// Called before each write: what the write ends with instead, nil for nothing. Tests bring one, for what callers do with errors.
    package var refusal: (@Sendable () -> StoreError?)?
    /// Tests bring small ones.
    var receiptRuns = ReceiptRunSizes()

    package init(
        sightingStep: Duration = .seconds(3_600),
        waitingMax: Int = 16_384,
        hookCountMax: Int = 100_000,
        synchronous: Synchronous = .full,
        fileSystem: String? = nil,
        deviceHash: (@Sendable (_ tenant: Int64, _ device: [UInt8]) -> UInt64)? = nil,
        whileOpening: (@Sendable (OpeningProgress) -> Void)? = nil
    ) {
        self.sightingStep = sightingStep
        self.waitingMax = waitingMax
        self.hookCountMax = hookCountMax
        self.synchronous = synchronous
        self.fileSystem = fileSystem
        self.deviceHash = deviceHash
        self.whileOpening = whileOpening
    }
}

/// How an opening goes.
package enum OpeningProgress: Equatable, Sendable {
    /// A file of an earlier version is about to be brought forward.
    case upgrading(versionBefore: Int, version: Int)
    /// It goes on: said every few million steps of SQLite's work, which is less than seconds but on a slow disk.
    case working
}

/// What a store found when it was opened.
package struct OpeningReport: Equatable, Sendable {
    /// The version that the file had; 0 for a new one.
    package let versionBefore: Int
    package let version: Int
    /// So many were on their way when the process before ended, and are queued again.
    package let interruptedCount: Int
    /// Notifications whose fallbacks were being sent when the process before ended: they may have arrived, and do not fire again.
    package let uncertainFallbacks: [OutboxEntry]
    /// Why the file may lack what was acknowledged; nil where it does not.
    package let restoreCause: RestoreCause?
    /// So many waited to be sent.
    package let waitingCount: Int
}

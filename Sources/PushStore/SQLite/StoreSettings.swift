/// A store's settings.
package struct StoreSettings: Sendable {
    /// Durability of a committed transaction.
    package enum Synchronous: String, CaseIterable, Sendable {
        /// Committed when the disk confirms it. The only mode that keeps the outbox's promise.
        case full = "FULL"
        /// Synced only at checkpoints: a power loss loses the last transactions.
        case normal = "NORMAL"
        /// Left to the operating system. Only for tests of the tests.
        case off = "OFF"
    }

    /// Age at which a device's last-seen time is rewritten.
    package var sightingStep: Duration
    /// Entries and registrations that may wait to be written; more are refused as `.overloaded`.
    package var waitingMax: Int
    /// Waiting hooks for each tenant; beyond that the oldest are dropped.
    package var hookCountMax: Int
    package var synchronous: Synchronous
    /// Name of SQLite's file system; nil for the default. Tests use one that fails.
    package var fileSystem: String?
    /// Replaces the file's keyed hash of a tenant's number and a device's id. Tests use one that collides.
    package var deviceHash: (@Sendable (_ tenant: Int64, _ device: [UInt8]) -> UInt64)?
    /// Reports progress of a long opening, on the store's thread.
    package var whileOpening: (@Sendable (OpeningProgress) -> Void)?
    /// Acknowledges a restore and decides about its waiting entries; nil: a restored store refuses writes.
    package var restoredQueue: RestoredQueue?
    /// Called before each write; a non-nil error replaces it. Tests use it to check callers' error handling.
    package var refusal: (@Sendable () -> StoreError?)?
    /// Smaller in tests.
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

/// Progress of an opening.
package enum OpeningProgress: Equatable, Sendable {
    /// A file of an earlier version is about to be migrated.
    case upgrading(versionBefore: Int, version: Int)
    /// Work continues. Reported every few million steps of SQLite: within seconds, unless the disk is slow.
    case working
}

/// Findings of opening a store.
package struct OpeningReport: Equatable, Sendable {
    /// The file's version before; 0 for a new file.
    package let versionBefore: Int
    package let version: Int
    /// Entries that were in flight when the previous process ended; they are queued again.
    package let interruptedCount: Int
    /// Notifications whose fallbacks were being sent when the previous process ended. They may have arrived and do not
    /// fire again.
    package let uncertainFallbacks: [OutboxEntry]
    /// The reason why acknowledged data may be missing; nil if none is.
    package let restoreCause: RestoreCause?
    /// The number of entries that wait to be sent.
    package let waitingCount: Int
}

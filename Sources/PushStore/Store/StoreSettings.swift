internal import Platform

package struct StoreSettings: Sendable {
    package enum Synchronous: String, CaseIterable, Sendable {
        /// The disk has confirmed it: the only mode that keeps the outbox's promise.
        case full = "FULL"
        /// Synced at checkpoints: a power loss loses the last transactions.
        case normal = "NORMAL"
        /// Left to the system. Only for tests of the tests.
        case off = "OFF"
    }

    /// Age at which a last-seen time is rewritten.
    package var sightingStep: Duration
    /// Bound of waiting entries and registrations; more are `.overloaded`.
    package var waitingMax: Int
    /// Bound of a tenant's waiting hooks; beyond it the oldest are dropped.
    package var hookCountMax: Int
    package var synchronous: Synchronous
    /// SQLite's; tests use one that fails.
    package var fileSystem: String?
    /// Replaces the keyed hash; tests use one that collides.
    package var deviceHash: (@Sendable (_ tenant: Int64, _ device: [UInt8]) -> UInt64)?
    /// Hears about a long opening, on the store's thread.
    package var whileOpening: (@Sendable (OpeningProgress) -> Void)?
    /// Acknowledges a restore, for its waiting entries; nil: a restored store refuses writes.
    package var restoredQueue: RestoredQueue?
    /// Called before each write; an error replaces it. For tests.
    package var refusal: (@Sendable () -> StoreError?)?
    /// Milliseconds of a clock that cannot be set, for the ends of shards' leases.
    package var leaseClock: @Sendable () -> Int64 = { Int64(clamping: Uptime.ofMachine.milliseconds) }
    /// Time of each call, which `SQLiteStore.endOverdue` ends.
    package var callTime: Duration = .seconds(30)
    /// Milliseconds of a clock that cannot be set, for the ends of calls.
    package var callClock: @Sendable () -> Int64 = { Int64(clamping: Uptime.ofMachine.milliseconds) }
    /// Replaces an opening's random number in ids; tests draw the same twice.
    var incarnation: UInt8?
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
    /// A file of an earlier version needs migration.
    case upgrading(versionBefore: Int, version: Int)
    /// Reported every few million steps of SQLite: within seconds, except on a slow disk.
    case working
}

/// Findings of opening a store.
package struct OpeningReport: Equatable, Sendable {
    /// 0 for a new file.
    package let versionBefore: Int
    package let version: Int
    /// Entries left in flight by the previous process, now queued again.
    package let interruptedCount: Int
    /// Notifications whose fallbacks the previous process was sending; they may have arrived and do not fire again.
    package let uncertainFallbacks: [OutboxEntry]
    /// nil if no acknowledged data is missing.
    package let restoreCause: RestoreCause?
    package let waitingCount: Int
    /// All shards, without an end: the file's lock keeps other relays out.
    package let leases: ShardLeases
}

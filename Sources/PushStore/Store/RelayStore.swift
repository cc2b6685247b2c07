/// All that a relay may not lose, in one engine.
package protocol RelayStore: DurableOutbox, DeviceRegistry, EndpointRegistry, HookQueue, ReceiptTable, NoteTable {
    var health: StoreHealth { get }

    /// True when reopening is needed and would help.
    var needsOpening: Bool { get }

    /// Probes the way of all calls; on a hanging disk it never returns.
    ///
    /// - Returns: false for a closed store, or one to be reopened.
    func isAnswering() async -> Bool

    /// Writes and reads like a few notifications, and updates `health`.
    ///
    /// - Parameter byteCount: 0 ... 65,536.
    /// - Throws: a notification's error.
    func probe(byteCount: Int) async throws(StoreError)

    /// Ends calls whose time is over: begun writes with `.uncertain`, all others with `.timedOut`. What such a write
    /// puts in flight later is queued again. To be called every second.
    func endOverdue()

    /// Outdates earlier copies. To be called every minute.
    func renewStamp() async throws(StoreError)

    /// Truncates the log, so that it keeps no deleted data.
    ///
    /// - Returns: false while another process reads it: call again.
    func emptyLog() async throws(StoreError) -> Bool

    /// Finishes what has begun, and releases the store. Later calls throw `.closed`.
    func close() async
}

extension SQLiteStore: RelayStore {}

/// Store's ability to write.
package enum StoreHealth: Equatable, Sendable {
    case writable
    /// No space for the last write. Reads work; the next write tries again.
    case full
    /// The disk refused the last write. Reads work; the next write tries again.
    case unwritable
    /// Reads work; writes need a reopened store.
    case broken
    /// The file was removed, renamed or replaced. Put it back and reopen the store.
    case moved
    /// Reads work; the restored file needs reopening with `StoreSettings.restoredQueue`.
    case restored
}

package import Envelope

/// What tenants are to be told, until they have been: at least once, and after a crash again.
///
/// The store writes a report itself, in the transaction that ends an entry with `isReported` (dead, expired, delivered); the
/// others come by `report`. Of one kind at most one waits for an entry. Hooks go with their entries when those are purged, and
/// the oldest of a tenant go when it has too many: both are counted as dropped.
package protocol HookQueue: Sendable {
    /// What waits already is not written again.
    ///
    /// - Returns: for each, in their order, whether its entry is there and the tenant's.
    /// - Throws: `.byteCount(field: .hookDetail)`, `.full`, `.overloaded` only where a `.resendRequested` is among them, and
    ///   what a disk does.
    func report(_ reports: [NewHook], now: Timestamp) async throws(StoreError) -> [Bool]

    /// Takes what is due: each tenant's as much as any other's, the longest due first. What is not finished by `leasedUntil` is
    /// due again, also after a crash.
    ///
    /// - Parameters:
    ///   - room: at most so many, and at most 1,000.
    ///   - now: what is due by now.
    ///   - leasedUntil: until when no other call gets them.
    /// - Returns: the longest due first; each with how often it had been taken before.
    /// - Throws: `.full`, and what a disk does: none of them is taken then.
    func takeHooks(_ room: ClaimRoom, now: Timestamp, leasedUntil: Timestamp) async throws(StoreError) -> [Hook]

    /// What became of hooks; those that are not there any more are passed over.
    func finishHooks(_ outcomes: [HookOutcome]) async throws(StoreError)

    /// - Parameter room: tenants without any are passed over.
    /// - Returns: since or until when the first hook is due, or its lease ends; nil when there is none.
    /// - Throws: what a disk does.
    func nextHook(_ room: ClaimRoom) async throws(StoreError) -> Timestamp?

    /// - Returns: one row for each tenant that ever had a hook.
    func hookCounts() async throws(StoreError) -> [HookCount]
}

/// What happened that its tenant is told.
package enum HookKind: UInt8, CaseIterable, Sendable {
    case dead = 1
    case expired = 2
    case delivered = 3
    /// A device could not open it and asks for another; the detail is the prekey's id, or empty.
    case resendRequested = 4
    /// Its fallback was sent; the detail is empty.
    case fallback = 5
    /// Its fallback may have been sent, and is not sent again; the detail is empty.
    case fallbackUncertain = 6
}

/// Something to tell that the store does not know by itself.
package struct NewHook: Equatable, Sendable {
    package static let detailByteCounts = 0...64

    package let tenant: TenantID
    package let entry: EntryID
    package let kind: HookKind
    package let detail: [UInt8]

    package init(tenant: TenantID, entry: EntryID, kind: HookKind, detail: [UInt8] = []) {
        self.tenant = tenant
        self.entry = entry
        self.kind = kind
        self.detail = detail
    }
}

/// Something to tell, as its sender gets it.
package struct Hook: Equatable, Sendable {
    /// Names it in every repetition.
    package let id: Int64
    package let kind: HookKind
    package let detail: [UInt8]
    /// As it is now.
    package let entry: OutboxEntry
    package let created: Timestamp
    /// How often it was taken before.
    package let attemptCount: Int

    package init(
        id: Int64,
        kind: HookKind,
        detail: [UInt8],
        entry: OutboxEntry,
        created: Timestamp,
        attemptCount: Int
    ) {
        self.id = id
        self.kind = kind
        self.detail = detail
        self.entry = entry
        self.created = created
        self.attemptCount = attemptCount
    }
}

/// What became of a hook.
package struct HookOutcome: Equatable, Sendable {
    package enum Verdict: Equatable, Sendable {
        /// Told, or given up.
        case done
        case retry(at: Timestamp)
    }

    package let id: Int64
    package let verdict: Verdict

    package init(id: Int64, verdict: Verdict) {
        self.id = id
        self.verdict = verdict
    }
}

/// How many hooks a tenant has.
package struct HookCount: Equatable, Sendable {
    package let tenant: TenantID
    package let waiting: Int
    /// So many were never told, since the store was made: they had to make room, or went with their entries.
    package let dropped: Int

    package init(tenant: TenantID, waiting: Int, dropped: Int) {
        self.tenant = tenant
        self.waiting = waiting
        self.dropped = dropped
    }
}

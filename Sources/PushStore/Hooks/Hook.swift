package import Envelope

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

/// What a tenant is to be told, until it has been: at least once, and after a crash again.
///
/// The store writes a hook itself, in the transaction that ends an entry with `isReported` (dead, expired, delivered); the others
/// come by `StoreWriter.report`. Of one kind at most one waits for an entry. Hooks go with their entries when those are purged,
/// and the oldest of a tenant go when it has too many: both are counted as dropped.
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

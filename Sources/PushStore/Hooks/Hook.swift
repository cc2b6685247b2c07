package import Envelope

package enum HookKind: UInt8, CaseIterable, Sendable {
    case dead = 1
    case expired = 2
    case delivered = 3
    /// A device asks for a re-send; the detail is the prekey's id, or empty.
    case resendRequested = 4
    /// Sent fallback; no detail.
    case fallback = 5
    /// The fallback may have been sent, and is not repeated; no detail.
    case fallbackUncertain = 6
}

/// Hook for an event outside the store.
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

/// Report to a tenant, at least once.
///
/// The store adds one in the transaction that ends an entry with `isReported`; `StoreWriter.report` adds others. An
/// entry has at most one of a kind. Dropped ones (with their entries, or above the tenant's limit) are counted.
package struct Hook: Equatable, Sendable {
    /// The same in every repetition.
    package let id: Int64
    package let lease: ShardLease
    package let kind: HookKind
    package let detail: [UInt8]
    package let entry: OutboxEntry
    package let created: Timestamp
    /// Its earlier leases.
    package let attemptCount: Int

    package init(
        id: Int64,
        lease: ShardLease,
        kind: HookKind,
        detail: [UInt8],
        entry: OutboxEntry,
        created: Timestamp,
        attemptCount: Int
    ) {
        self.id = id
        self.lease = lease
        self.kind = kind
        self.detail = detail
        self.entry = entry
        self.created = created
        self.attemptCount = attemptCount
    }
}

package struct HookOutcome: Equatable, Sendable {
    package enum Verdict: Equatable, Sendable {
        case done
        case retry(at: Timestamp)
    }

    package let id: Int64
    package let lease: ShardLease
    package let verdict: Verdict

    package init(_ hook: Hook, _ verdict: Verdict) {
        id = hook.id
        lease = hook.lease
        self.verdict = verdict
    }
}

package struct HookCount: Equatable, Sendable {
    package let tenant: TenantID
    package let waiting: Int
    /// Since the store was made: for room, or with their entries.
    package let dropped: Int

    package init(tenant: TenantID, waiting: Int, dropped: Int) {
        self.tenant = tenant
        self.waiting = waiting
        self.dropped = dropped
    }
}

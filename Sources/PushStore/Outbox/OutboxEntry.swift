package import APNS
package import Envelope

/// Stored notification without its payload.
package struct OutboxEntry: Equatable, Sendable {
    package let id: EntryID
    package let tenant: TenantID
    package let device: DeviceID
    package let topic: Topic
    package let apnsID: APNSID
    package let collapseID: CollapseID?
    package let lane: Lane
    package let pushType: PushType
    package let priority: Priority?
    package let expiration: Expiration?
    package let deadline: Timestamp
    package let attemptLimit: Int?
    package let trace: Trace?
    package let traceContext: TraceContext?

    package let state: EntryState
    package let created: Timestamp
    /// Time of the last change of state.
    package let changed: Timestamp
    /// Earliest time to send a queued entry.
    package let due: Timestamp
    package let attemptCount: Int
    /// True if an earlier attempt, with the same apns-id, may have arrived; harmless with a collapse id.
    package let maybeDuplicate: Bool
    package let receipt: Timestamp?
    package let replayedAs: EntryID?
    package var waitCause: WaitCause?
    /// Destination; nil for the app's own, or PushKit's for calls.
    package var purpose: TokenPurpose?

    package init(
        id: EntryID,
        tenant: TenantID,
        device: DeviceID,
        topic: Topic,
        apnsID: APNSID,
        collapseID: CollapseID?,
        lane: Lane,
        pushType: PushType,
        priority: Priority?,
        expiration: Expiration?,
        deadline: Timestamp,
        attemptLimit: Int?,
        trace: Trace?,
        traceContext: TraceContext?,
        state: EntryState,
        created: Timestamp,
        changed: Timestamp,
        due: Timestamp,
        attemptCount: Int,
        maybeDuplicate: Bool,
        receipt: Timestamp?,
        replayedAs: EntryID?,
        waitCause: WaitCause? = nil,
        purpose: TokenPurpose? = nil
    ) {
        self.id = id
        self.tenant = tenant
        self.device = device
        self.topic = topic
        self.apnsID = apnsID
        self.collapseID = collapseID
        self.lane = lane
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.deadline = deadline
        self.attemptLimit = attemptLimit
        self.trace = trace
        self.traceContext = traceContext
        self.state = state
        self.created = created
        self.changed = changed
        self.due = due
        self.attemptCount = attemptCount
        self.maybeDuplicate = maybeDuplicate
        self.receipt = receipt
        self.replayedAs = replayedAs
        self.waitCause = waitCause
        self.purpose = purpose
    }

    /// True before any attempt or deferral.
    package var isUntouched: Bool { attemptCount == 0 && due <= created }
    /// Length of the last deferral.
    package var wait: Duration { due > changed ? .milliseconds(due.milliseconds - changed.milliseconds) : .zero }
}

package struct LeasedEntry: Equatable, Sendable {
    package let lease: Lease
    package let entry: OutboxEntry
    package let payload: [UInt8]

    package init(lease: Lease, entry: OutboxEntry, payload: [UInt8]) {
        self.lease = lease
        self.entry = entry
        self.payload = payload
    }
}

extension NewEntry {
    /// Entry as `take` would give it.
    package func leased(_ lease: Lease, tenant: TenantID, created: Timestamp) -> LeasedEntry {
        LeasedEntry(
            lease: lease,
            entry: OutboxEntry(
                id: lease.id,
                tenant: tenant,
                device: device,
                topic: topic,
                apnsID: apnsID,
                collapseID: collapseID,
                lane: lane,
                pushType: pushType,
                priority: priority,
                expiration: expiration,
                deadline: deadline,
                attemptLimit: attemptLimit,
                trace: trace,
                traceContext: traceContext,
                state: .sending,
                created: created,
                changed: created,
                due: created,
                attemptCount: 0,
                maybeDuplicate: false,
                receipt: nil,
                replayedAs: nil,
                purpose: purpose
            ),
            payload: payload
        )
    }
}

/// Right to send an entry for a time, held in memory.
package struct Lease: Hashable, Sendable {
    /// As last read, to spare another read; the file decides.
    package let standing: EntryStanding
    package let shardLease: ShardLease
    /// 0 for a lease outside the table.
    let number: UInt64
    /// True if others may have its collapse id and it lost its place: not sent while a newer one is out.
    package var yieldsToNewer = false

    package init(standing: EntryStanding, shardLease: ShardLease, number: UInt64) {
        self.standing = standing
        self.shardLease = shardLease
        self.number = number
    }

    package var id: EntryID { standing.id }
    /// A lease with an older count is void.
    package var attemptCount: Int { standing.attemptCount }
}

package enum MarkResult: Equatable, Sendable {
    /// On the disk as sending: may be sent now.
    case sending
    /// Leased by another, or not queued: may not be sent.
    case lost
    /// Another relay owns its shard: may not be sent.
    case lateOwner
    /// Past its deadline: expired.
    case expired
    /// Dead: a newer entry for its device, topic and collapse id is out.
    case superseded
}

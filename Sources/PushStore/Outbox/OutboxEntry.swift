package import APNS
package import Envelope

/// A stored notification without its payload.
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

    package let state: EntryState
    /// The time of its acceptance.
    package let created: Timestamp
    /// The time of its last change of state.
    package let changed: Timestamp
    /// Earliest time to send it, while it is queued.
    package let due: Timestamp
    package let attemptCount: Int
    /// True if an earlier attempt may have arrived. A repetition has the same apns-id; a collapse id makes it harmless.
    package let maybeDuplicate: Bool
    /// Time of the device's receipt.
    package let receipt: Timestamp?
    /// Its replay as a new entry, after it was dead.
    package let replayedAs: EntryID?
    /// The reason why a queued or parked entry was last not written to APNs.
    package var waitCause: WaitCause?

    /// True while it waits as accepted: neither tried nor deferred.
    package var isUntouched: Bool { attemptCount == 0 && due <= created }
    /// The delay of its last deferral; zero if it could go at once.
    package var wait: Duration { due > changed ? .milliseconds(due.milliseconds - changed.milliseconds) : .zero }
}

/// An entry as its dispatcher gets it.
package struct LeasedEntry: Equatable, Sendable {
    package let lease: Lease
    package let entry: OutboxEntry
    package let payload: [UInt8]

    init(lease: Lease, entry: OutboxEntry, payload: [UInt8]) {
        self.lease = lease
        self.entry = entry
        self.payload = payload
    }
}

extension NewEntry {
    /// Builds the leased entry of a notification stored as sending, equal to the one `take` would give.
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
                state: .sending,
                created: created,
                changed: created,
                due: created,
                attemptCount: 0,
                maybeDuplicate: false,
                receipt: nil,
                replayedAs: nil
            ),
            payload: payload
        )
    }
}

/// The right to send an entry for a time. Held in memory: it ends with the process.
package struct Lease: Hashable, Sendable {
    /// The entry's standing as last read, which saves a read for each change. The file decides if it still holds.
    let standing: EntryStanding
    /// Its number in this process; 0 for a lease that was never in the lease book.
    let number: UInt64
    /// Set when others may have its collapse id and it has lost its place among them: it is not sent if a newer one is
    /// out.
    package var yieldsToNewer = false

    package var id: EntryID { standing.id }
    /// Attempts before this lease. A lease with an older count is void.
    package var attemptCount: Int { standing.attemptCount }
}

/// The result of marking a lease.
package enum MarkResult: Equatable, Sendable {
    /// The entry is recorded as sending: it may be sent now.
    case sending
    /// Another holder has it, or it is no longer queued: it may not be sent.
    case lost
    /// Its deadline has passed: it may not be sent, and is expired.
    case expired
    /// A newer entry for its device, topic and collapse id is out: it may not be sent, and is dead.
    case superseded
}

package import APNS
package import Envelope

/// What the store knows of a notification, its payload apart.
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
    /// When it was accepted from its sender.
    package let created: Timestamp
    /// Since when it is in its state.
    package let changed: Timestamp
    /// From when on it may be sent, while it is queued.
    package let due: Timestamp
    package let attemptCount: Int
    /// Whether an earlier attempt may have arrived: only with the same apns-id, and a collapse id makes it harmless.
    package let maybeDuplicate: Bool
    /// When the device said that it had it.
    package let receipt: Timestamp?
    /// What it was replayed as, once it was dead.
    package let replayedAs: EntryID?
    /// While it is queued or parked without having been written to APNs the last time: why.
    package var waitCause: WaitCause?

    /// Whether it waits as it was accepted: neither tried nor put off.
    package var isUntouched: Bool { attemptCount == 0 && due <= created }
    /// How long it had to wait for `due` when it was put off; zero for what could go at once.
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
    /// One that was stored as on its way, as a look at the queue would have given it.
    ///
    /// - Parameters:
    ///   - lease: what storing it gave.
    ///   - tenant: whose.
    ///   - created: when it was accepted.
    /// - Returns: what its dispatcher sends.
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

/// The right to send an entry, for a time. In memory: a process that ends has none any more.
package struct Lease: Hashable, Sendable {
    /// What the holder's changes are made on, without another look. The file decides whether that is still so.
    let standing: EntryStanding
    /// Which lease of this process it is; 0 for one that was never in the lease book.
    let number: UInt64
    /// Set by whoever knows that others may have its collapse id, and that it has lost its place among them: it is not sent
    /// where a newer one is out.
    package var yieldsToNewer = false

    package var id: EntryID { standing.id }
    /// How often it had been tried: a lease of before does not count.
    package var attemptCount: Int { standing.attemptCount }
}

/// What became of a mark.
package enum MarkResult: Equatable, Sendable {
    /// It is on the disk that this entry is on its way: it may be sent now.
    case sending
    /// Somebody else has it, or it is not queued any more: it may not.
    case lost
    /// Its time was over: it may not, and is expired.
    case expired
    /// A newer one for its device, of its topic and collapse id, is out: it may not, and is dead.
    case superseded
}

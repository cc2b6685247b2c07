package import APNS
package import Envelope
package import PushStore

/// What the API tells whoever sends and reports. On the loop.
package protocol DispatchDoor: AnyObject, Sendable {
    /// What becomes of one request's notifications before they are stored.
    ///
    /// - Parameter offer: all of one lane, each device once.
    /// - Returns: room for all of them: they are to be stored as on their way, and then `didStore` or `didNotStore` is
    ///   called. nil: they are to be queued, and then `ring` is called.
    func reserve(_ offer: SendOffer) -> SendReservation?

    /// They are on the disk as on their way: they are sent now.
    func didStore(_ reservation: SendReservation, _ leases: [Lease])

    /// They are not on the disk, or were there before.
    func didNotStore(_ reservation: SendReservation)

    /// What did not come through `reserve` will be queued, and then `ring` or `didNotQueue` is called: nothing that comes
    /// later may overtake it.
    func willQueue(_ notes: [QueueNote], tenant: TenantID, now: Timestamp)

    /// They were not queued after all.
    func didNotQueue(_ notes: [QueueNote])

    /// What one that is queued waits for in memory, where nothing of it is on the disk; nil: its turn has not come.
    func waitCause(of id: EntryID) -> WaitCause?

    /// Something was stored in these lanes.
    func ring(_ lanes: Set<Lane>)

    /// Devices have said that they have these.
    func didReceive(_ entries: [OutboxEntry])

    /// A tenant is to be told something.
    func didReport()
}

/// Who is told that the store has something for tenants' servers.
package struct DispatchBells: Sendable {
    package let hooks: @Sendable () -> Void
    package let fallbacks: @Sendable () -> Void

    package init(
        hooks: @escaping @Sendable () -> Void = {},
        fallbacks: @escaping @Sendable () -> Void = {}
    ) {
        self.hooks = hooks
        self.fallbacks = fallbacks
    }
}

/// One request's notifications, as the dispatcher is asked about them. An object: it is handed on at every step.
package final class SendOffer: Sendable {
    package let tenant: TenantID
    /// One or more, all of one lane.
    package let entries: [NewEntry]
    /// As they were looked up, in the same order.
    package let devices: [Device]
    /// The app's, without a suffix.
    package let bundleID: String
    /// When they are accepted.
    package let now: Timestamp

    package var lane: Lane { entries[0].lane }

    package init(tenant: TenantID, entries: [NewEntry], devices: [Device], bundleID: String, now: Timestamp) {
        precondition(!entries.isEmpty && entries.count == devices.count)
        self.tenant = tenant
        self.entries = entries
        self.devices = devices
        self.bundleID = bundleID
        self.now = now
    }
}

/// A notification that is about to be queued.
package struct QueueNote: Equatable, Sendable {
    package let apnsID: APNSID
    package let device: DeviceID
    package let lane: Lane
    /// From then on it is not sent.
    package let deadline: Timestamp

    package init(_ entry: NewEntry) {
        (apnsID, device, lane, deadline) = (entry.apnsID, entry.device, entry.lane, entry.deadline)
    }

    /// - Parameters:
    ///   - letter: a dead one.
    ///   - replay: what it is to be tried again as.
    package init(_ letter: OutboxEntry, _ replay: Replay) {
        (apnsID, device, lane, deadline) = (replay.apnsID, letter.device, letter.lane, replay.deadline)
    }
}

/// Room for one request's notifications.
package struct SendReservation: Sendable {
    package let offer: SendOffer
    /// The dispatcher's, one for each entry.
    let tickets: Range<Int>

    package init(offer: SendOffer, tickets: Range<Int>) {
        self.offer = offer
        self.tickets = tickets
    }
}

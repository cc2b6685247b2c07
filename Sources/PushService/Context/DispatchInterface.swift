package import APNS
package import Envelope
package import PushStore

/// Dispatcher as the API sees it. On the loop.
package protocol DispatchInterface: AnyObject, Sendable {
    /// Reserves room to send notifications at once.
    ///
    /// - Returns: room for all: store them as in flight, then call `didStore` or `didNotStore`. nil: queue them, then
    ///   call `wake`.
    func reserve(_ offer: SendOffer) -> SendReservation?

    func didStore(_ reservation: SendReservation, _ leases: [Lease])

    /// Releases the room; also for notifications stored before.
    func didNotStore(_ reservation: SendReservation)

    /// Keeps later notifications from overtaking. `wake` or `didNotQueue` must follow.
    func willQueue(_ notes: [QueueNote], tenant: TenantID, now: Timestamp)

    func didNotQueue(_ notes: [QueueNote])

    /// Reason that only memory holds; nil: its turn has not come.
    func waitCause(of id: EntryID) -> WaitCause?

    func wake(_ lanes: Set<Lane>)

    func didReceive(_ entries: [OutboxEntry])

    func didReport(_ entries: [OutboxEntry])

    /// A copy, which costs nothing.
    var deliveryRates: DeliveryRates { get }

    /// Apps whose pushes Apple refuses.
    var suspendedApps: [SuspendedApp] { get }
}

/// App of a tenant whose pushes wait, and Apple's reason.
package struct SuspendedApp: Equatable, Sendable {
    package let tenant: TenantID
    package let bundleID: BundleID
    package let environment: APNSEnvironment
    package let reason: Reason
}

/// Wakes work for tenants' servers.
package struct DispatchWakers: Sendable {
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

/// One request's notifications. A class: passed on at every step.
package final class SendOffer: Sendable {
    package let tenant: TenantID
    /// One or more entries, all of one queue.
    package let entries: [NewEntry]
    /// Devices in the order of `entries`.
    package let devices: [Device]
    /// App's, without a suffix.
    package let bundleID: BundleID
    package let now: Timestamp

    package var lane: Lane { entries[0].lane }

    package init(tenant: TenantID, entries: [NewEntry], devices: [Device], bundleID: BundleID, now: Timestamp) {
        precondition(!entries.isEmpty && entries.count == devices.count)
        self.tenant = tenant
        self.entries = entries
        self.devices = devices
        self.bundleID = bundleID
        self.now = now
    }
}

package struct QueueNote: Equatable, Sendable {
    package let apnsID: APNSID
    package let device: DeviceID
    package let lane: Lane
    /// It is not sent from then on.
    package let deadline: Timestamp

    package init(_ entry: NewEntry) {
        (apnsID, device, lane, deadline) = (entry.apnsID, entry.device, entry.lane, entry.deadline)
    }

    package init(_ letter: OutboxEntry, _ replay: Replay) {
        (apnsID, device, lane, deadline) = (replay.apnsID, letter.device, letter.lane, replay.deadline)
    }
}

package struct SendReservation: Sendable {
    package let offer: SendOffer
    /// Dispatcher's, one for each entry.
    let tickets: Range<Int>

    package init(offer: SendOffer, tickets: Range<Int>) {
        self.offer = offer
        self.tickets = tickets
    }
}

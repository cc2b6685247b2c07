import APNS
package import Envelope
package import PushStore
import Transport

/// From the API straight to APNs: stored as on its way, then out, where nobody waits that this would overtake.
///
/// A process that dies in between leaves it `sending`, which the next one finds and queues: with the same apns-id, as one
/// that may have arrived.
extension Dispatcher {
    package func reserve(_ offer: SendOffer) -> SendReservation? {
        context.loop.checkIsolated()
        guard let first = offer.entries.first else { return nil }
        let lane = DispatchLane(first.lane)
        let keys = offer.entries.map { Self.bucketKey(DeviceKey(tenant: offer.tenant, device: $0.device)) }
        if let tickets = reserve(offer, keys, lane) { return SendReservation(offer: offer, tickets: tickets) }
        willQueue(offer.entries, tenant: offer.tenant, now: offer.now)
        return nil
    }

    package func willQueue(_ entries: [NewEntry], tenant: TenantID, now: Timestamp) {
        context.loop.checkIsolated()
        for entry in entries {
            let key = Self.bucketKey(DeviceKey(tenant: tenant, device: entry.device))
            queued[ServiceMetrics.index(DispatchLane(entry.lane))].willQueue(entry.apnsID, for: key, now: now)
        }
    }

    private func reserve(
        _ offer: SendOffer,
        _ keys: [DeviceBucket.Key],
        _ lane: DispatchLane
    ) -> Range<DispatchFlow.Ticket>? {
        guard isRunning, !isOver, keys.count <= DispatchFlow.handOverCountMax else { return nil }
        let devices = queued[ServiceMetrics.index(lane)]
        guard keys.allSatisfy({ devices.mayPass($0) }) else { return nil }
        let tenant = Self.text(offer.tenant)
        for (entry, device) in zip(offer.entries, offer.devices) {
            let environment = device.registration.environment
            // How often one may be tried is the queue's to count.
            guard entry.attemptLimit == nil, Self.token(of: entry, device) != nil,
                let client = lanes.entry(tenant: tenant, bundleID: offer.bundleID, environment: environment),
                suspensions.isEmpty || !suspensions.stops(lane: client.number, bundleID: offer.bundleID)
            else { return nil }
        }
        let tickets = newTickets(keys.count)
        return flow.reserve(tickets, for: keys, in: lane, now: context.clock.uptime()) ? tickets : nil
    }

    package func didStore(_ reservation: SendReservation, _ leases: [Lease]) {
        context.loop.checkIsolated()
        let offer = reservation.offer
        precondition(leases.count == offer.entries.count)
        for (index, ticket) in reservation.tickets.enumerated() {
            let (entry, device) = (offer.entries[index], offer.devices[index])
            let destination = Self.token(of: entry, device).map { PushDestination.push(token: $0, topic: entry.topic) }
            pendings[ticket] = Pending(
                leased: LeasedEntry(entry, leases[index], tenant: offer.tenant, created: offer.now),
                destination: destination ?? .end("NoVoIPToken"),
                bundleID: offer.bundleID,
                device: device
            )
            ledger.add(\.accepted, app: offer.bundleID, region: device.registration.region)
            // What is too late stays on its way, which the next start finds.
            if !isOver { begin(DispatchFlow.Marked(ticket: ticket, postponedBy: nil)) }
        }
    }

    package func didNotStore(_ reservation: SendReservation) {
        context.loop.checkIsolated()
        flow.didNotStore(reservation.tickets)
        plan()
    }

    private static func token(of entry: NewEntry, _ device: Device) -> DeviceToken? {
        entry.pushType == .voip ? device.registration.voIPToken : device.registration.token
    }

    // MARK: What is queued

    /// One is not in the queue any more.
    func didLeaveQueue(_ pending: Pending) {
        guard pending.entry.attemptCount == 0 else { return }
        let lane = ServiceMetrics.index(pending.lane)
        queued[lane].didLeave(pending.entry.apnsID, for: Self.bucketKey(pending.key))
    }

    /// Where not all is known that is queued.
    func lookAtQueues() {
        let now = context.clock.now()
        for lane in DispatchLane.allCases where queued[ServiceMetrics.index(lane)].wantsLook(now: now) {
            call { dispatcher in
                do throws(StoreError) {
                    let oldest = try await dispatcher.context.store.oldestDue(lane.stored)
                    dispatcher.queued[ServiceMetrics.index(lane)].didLook(oldestDue: oldest)
                } catch {
                    // There is another look in a second.
                }
            }
        }
    }
}

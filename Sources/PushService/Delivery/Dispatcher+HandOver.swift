import APNS
package import Envelope
import Networking
package import PushStore
import ServiceParts

/// Direct path from API to APNs: stored as `sending`, then sent, unless waiting work would be overtaken.
///
/// After a crash such an entry is possibly delivered. With a collapse id it is sent again with the same apns-id;
/// without, it is dead, with an unknown outcome.
extension Dispatcher {
    package func reserve(_ offer: SendOffer) -> SendReservation? {
        context.loop.checkIsolated()
        guard !offer.entries.isEmpty else { return nil }
        // Entries are large: read in place.
        let lane = offer.lane
        let keys = offer.entries.indices.map { index in
            Self.bucketKey(DeviceKey(tenant: offer.tenant, device: offer.entries[index].device))
        }
        if let tickets = reserve(offer, keys, lane) { return SendReservation(offer: offer, tickets: tickets) }
        for (entry, key) in zip(offer.entries, keys) {
            let lane = lane.index
            queued[lane].willQueue(entry.apnsID, for: key, deadline: entry.deadline, now: offer.now)
        }
        return nil
    }

    package func willQueue(_ notes: [QueueNote], tenant: TenantID, now: Timestamp) {
        context.loop.checkIsolated()
        for note in notes {
            let key = Self.bucketKey(DeviceKey(tenant: tenant, device: note.device))
            let lane = note.lane.index
            queued[lane].willQueue(note.apnsID, for: key, deadline: note.deadline, now: now)
        }
    }

    package func didNotQueue(_ notes: [QueueNote]) {
        context.loop.checkIsolated()
        for note in notes { queued[note.lane.index].didLeave(note.apnsID) }
    }

    package func waitCause(of id: EntryID) -> WaitCause? {
        context.loop.checkIsolated()
        var tenant: TenantID?
        let isHeld = flow.isHeld { ticket in
            guard let pending = pendings[ticket], pending.lease.id == id else { return false }
            tenant = pending.entry.tenant
            return true
        }
        return isHeld ? (flow.isCrowded(tenant) ? .connection : .device) : nil
    }

    private func reserve(
        _ offer: SendOffer,
        _ keys: [DeviceBucket.Key],
        _ lane: Lane
    ) -> Range<DispatchFlow.Ticket>? {
        guard isRunning, !isOver, keys.count <= DispatchFlow.handOverCountMax, owns(offer) else { return nil }
        let index = lane.index
        guard keys.allSatisfy({ queued[index].mayPass($0, now: offer.now) }) else { return nil }
        let tenant = offer.tenant
        var clients: [Int] = []
        for index in offer.entries.indices {
            let environment = offer.devices[index].environment
            guard offer.devices[index].token(for: offer.entries[index].pushType, offer.entries[index].purpose) != nil,
                let client = lanes.entry(tenant: tenant, bundleID: offer.bundleID, environment: environment),
                suspensions.isEmpty
                    || !suspensions.stops(
                        SuspensionTable.Target(
                            lane: client.number,
                            bundleID: offer.bundleID,
                            tenant: tenant,
                            isReached: offer.devices[index].isReached
                        )
                    )
            else { return nil }
            if !clients.contains(client.number) { readRoom(of: client.number) }
            clients.append(client.number)
        }
        let tickets = newTickets(keys.count)
        let collapses = offer.entries.indices.map { index in
            offer.entries[index].collapseID.map { DispatchFlow.CollapseKey($0) }
        }
        let now = context.clock.uptime()
        let isReserved = flow.reserve(
            tickets,
            for: keys,
            replacing: collapses,
            through: clients,
            in: lane,
            of: offer.tenant,
            now: now
        )
        guard isReserved else {
            return nil
        }
        for index in keys.indices where collapses[index] != nil { didPass(keys[index], in: lane) }
        return tickets
    }

    /// Only a shard's owner knows what is in flight and queued for a device.
    private func owns(_ offer: SendOffer) -> Bool {
        let shards = context.shards.live.shards
        return shards == .all
            || offer.devices.allSatisfy { shards.contains(Shard(tenant: offer.tenant, device: $0.key.device)) }
    }

    /// Treats what other relays queue for the shards like what this one queues.
    func listen() {
        context.store.listen(as: context.shards.relay) { [weak self] hint in
            guard let self else { return }
            self.context.loop.perform {
                let notes = hint.entries.map { QueueNote($0) }
                self.willQueue(notes, tenant: hint.tenant, now: self.context.clock.now())
                self.wake(Set(notes.map(\.lane)))
            }
        }
    }

    /// Lets new notifications queue until those of the new shards are known, and what other relays parked there go out.
    /// On the loop.
    package func willTakeShards() {
        context.loop.checkIsolated()
        let now = context.clock.now()
        for index in queued.indices { queued[index].forget(now: now) }
        flow.wake(Lane.allCases)
        releaseEverything()
    }

    /// Shards with entries in flight. On the loop.
    package var busyShards: ShardSet {
        context.loop.checkIsolated()
        return ShardSet(pendings.values.lazy.map(\.lease.shardLease.shard))
    }

    package func didStore(_ reservation: SendReservation, _ leases: [Lease]) {
        context.loop.checkIsolated()
        let offer = reservation.offer
        precondition(leases.count == offer.entries.count)
        for (index, ticket) in reservation.tickets.enumerated() {
            let device = offer.devices[index]
            let topic = offer.entries[index].topic
            let purpose = offer.entries[index].purpose
            let destination = device.token(for: offer.entries[index].pushType, purpose).map {
                PushDestination.push(token: $0, topic: topic)
            }
            pendings[ticket] = Pending(
                leased: offer.entries[index].leased(leases[index], tenant: offer.tenant, created: offer.now),
                destination: destination ?? .end(PushDestination.noToken(purpose)),
                bundleID: offer.bundleID,
                device: device,
                client: nil,
                isMarked: true
            )
            ledger.add(\.accepted, tenant: offer.tenant, app: offer.bundleID.text, region: device.region)
            // After a drain it stays `sending` for the next start.
            if !isOver { begin(DispatchFlow.Marked(ticket: ticket, postponedBy: nil)) }
        }
    }

    package func didNotStore(_ reservation: SendReservation) {
        context.loop.checkIsolated()
        flow.didNotStore(reservation.tickets)
        plan()
    }

    /// Notes that queued entries for the device may be older than a push of this queue.
    func didPass(_ key: DeviceBucket.Key, in lane: Lane) {
        let own = lane.index
        for index in queued.indices where index != own { queued[index].didPass(key) }
    }

    /// Notes entries queued again, perhaps behind later ones.
    func didLosePlace(_ pendings: [Pending]) {
        for pending in pendings {
            queued[pending.lane.index].didPass(Self.bucketKey(pending.key))
        }
    }

    func didLeaveQueue(_ pending: Pending) {
        guard pending.entry.attemptCount == 0 else { return }
        queued[pending.lane.index].didLeave(pending.entry.apnsID)
    }

    /// Queues a merely postponed entry, which stays older than new ones.
    func willQueueAgain(_ pending: Pending) {
        let entry = pending.entry
        guard entry.attemptCount == 0 else { return }
        queued[pending.lane.index].willQueue(
            entry.apnsID,
            for: Self.bucketKey(pending.key),
            deadline: entry.deadline,
            now: context.clock.now()
        )
    }

    /// Reads queues of partly unknown content.
    func lookAtQueues() {
        let now = context.clock.now()
        for index in queued.indices { queued[index].forgetLate(now: now) }
        for lane in Lane.allCases where queued[lane.index].wantsLook(now: now) {
            call { dispatcher in
                do throws(StoreError) {
                    let shards = dispatcher.context.shards.live.shards
                    let oldest = try await dispatcher.context.store.oldestDue(lane, in: shards)
                    dispatcher.queued[lane.index].didLook(oldestDue: oldest)
                } catch {
                    // Read again in a second.
                }
            }
        }
    }
}

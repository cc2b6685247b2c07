import APNS
import Envelope
import PushStore
import ServiceParts

extension Dispatcher {
    func take(from lane: Lane, limit: Int, retryLimit: Int) {
        let excluding = flow.crowdedOwners(in: lane)
        call { dispatcher in
            let context = dispatcher.context
            var leased: [LeasedEntry] = []
            do throws(StoreError) {
                let now = context.clock.now()
                leased = try await context.store.take(
                    TakeDemand(
                        lane: lane,
                        limit: limit,
                        retryLimit: retryLimit,
                        excluding: excluding,
                        now: now,
                        leasedUntil: now.advanced(by: .seconds(Self.leaseSeconds))
                    ),
                    by: context.shards.live
                )
                let keys = leased.map { DeviceKey(tenant: $0.entry.tenant, device: $0.entry.device) }
                // Rows may change before the push is out, as they may during it.
                let lookups = keys.isEmpty ? [] : try await context.store.devices(keys)
                // Entries whose marks are being written are passed over: fewer are not all.
                dispatcher.didTake(leased, lookups, from: lane, isAll: leased.isEmpty)
            } catch {
                await context.store.giveBack(leased.map(\.lease))
                dispatcher.flow.didFailToTake(from: lane, now: context.clock.uptime())
            }
        }
    }

    private func didTake(
        _ leased: [LeasedEntry],
        _ lookups: [DeviceLookup],
        from lane: Lane,
        isAll: Bool
    ) {
        let leasedUntil = context.clock.uptime() &+ (Self.leaseSeconds - 30) * 1_000_000_000
        var items: [DispatchFlow.Item] = []
        for (entry, lookup) in zip(leased, lookups) {
            let ticket = newTicket()
            let pending = pending(entry, lookup)
            pendings[ticket] = pending
            var bucket: DeviceBucket.Key?
            if case .push = pending.destination { bucket = Self.bucketKey(pending.key) }
            items.append(
                DispatchFlow.Item(
                    ticket: ticket,
                    lane: lane,
                    isRetry: entry.entry.attemptCount > 0,
                    device: bucket,
                    collapse: entry.entry.collapseID.map { DispatchFlow.CollapseKey($0) },
                    leasedUntil: leasedUntil,
                    owner: entry.entry.tenant,
                    client: pending.client
                )
            )
        }
        flow.didTake(items, from: lane, isAll: isAll)
    }

    private func pending(_ leased: LeasedEntry, _ lookup: DeviceLookup) -> Pending {
        let tenant = leased.entry.tenant
        var client: Int?
        let destination = PushDestination(leased.entry, lookup) { bundleID, environment in
            client = lanes.entry(tenant: tenant, bundleID: bundleID, environment: environment)?.number
            return client != nil
        }
        if case .push = destination {} else { client = nil }
        var device: Device?
        if case .found(let found) = lookup { device = found }
        let bundleID = BundleID(of: leased.entry.topic, leased.entry.pushType)
        if leased.entry.isUntouched {
            ledger.add(\.accepted, tenant: tenant, app: bundleID.text, region: device?.region)
        }
        return Pending(leased: leased, destination: destination, bundleID: bundleID, device: device, client: client)
    }

    /// Swift's random hash seed hides which devices share a bucket.
    static func bucketKey(_ device: DeviceKey) -> DeviceBucket.Key {
        DeviceBucket.Key(shardHash: UInt64(bitPattern: Int64(device.hashValue)))
    }
}

package import APNS
package import DeviceLink

/// Store and forward for every app on every device. Events in, effects out; no socket, and the clock is handed in.
///
/// Keeps a lane for those only that have a connection, or for whom something waits.
package struct DeliveryEngine {
    /// An app on a device.
    package struct Address: Hashable, Sendable {
        /// The directory's number for it.
        package let installation: UInt32
        /// Our own number for the device: what a log may show.
        package let device: Int

        package init(installation: UInt32, device: Int) {
            self.installation = installation
            self.device = device
        }
    }

    private var context: DeliveryContext
    private var lanes: [UInt32: Lane] = [:]
    private var wakeUps = WakeUps()
    private var rate: RequestRate

    package init(_ settings: DeliverySettings = DeliverySettings()) {
        context = DeliveryContext(settings)
        rate = RequestRate(perMinute: settings.tokenRequestsPerMinute, burst: settings.tokenBurst)
    }

    /// Changes how pushes are carried on that come from now on. What waits keeps its end, and goes where it may go at once.
    mutating func adopt(_ settings: DeliverySettings, at now: Int64) -> [DeliveryEffect] {
        guard settings != context.settings else { return [] }
        rate.adopt(perMinute: settings.tokenRequestsPerMinute, burst: settings.tokenBurst)
        context.adopt(settings)
        return lanes.values.sorted { $0.installation < $1.installation }.flatMap { lane in
            perform(Address(installation: lane.installation, device: lane.device), at: now) { $0.wake(&$1) }
        }
    }

    /// What became of each push.
    package var log: DeliveryLog { context.log }

    /// How many pushes wait for an app.
    func waitingCount(_ installation: UInt32) -> Int { lanes[installation]?.waitingCount ?? 0 }

    /// How many lanes there are.
    var laneCount: Int { lanes.count }

    /// How many alarms there are, overtaken ones included.
    var alarmCount: Int { wakeUps.count }

    // MARK: Pushes

    /// Whether the next push to the app would be answered TooManyRequests.
    package func isTooFrequent(_ address: Address, at now: Int64) -> Bool {
        rate.isTooFrequent(address.installation, at: now)
    }

    /// A push passed every check.
    ///
    /// - Parameters:
    ///   - push: what the device is to get.
    ///   - uniqueID: the push's `apns-unique-id`.
    ///   - address: where to.
    ///   - now: milliseconds since 1970.
    /// - Returns: what follows.
    package mutating func accept(
        _ push: DevicePush,
        uniqueID: APNSID,
        for address: Address,
        at now: Int64
    ) -> [DeliveryEffect] {
        let item = begin(push, uniqueID, address, now)
        return perform(address, at: now) { $0.route(item, &$1) }
    }

    /// A push passed every check, and will never arrive all the same.
    ///
    /// - Parameters:
    ///   - push: which.
    ///   - uniqueID: the push's `apns-unique-id`.
    ///   - address: where it was to go.
    ///   - reason: why it does not.
    ///   - now: milliseconds since 1970.
    /// - Returns: what follows.
    package mutating func discard(
        _ push: DevicePush,
        uniqueID: APNSID,
        for address: Address,
        _ reason: DiscardReason,
        at now: Int64
    ) -> [DeliveryEffect] {
        let item = begin(push, uniqueID, address, now)
        context.now = now
        context.discarded(item, reason, device: address.device)
        return context.takeEffects()
    }

    private mutating func begin(
        _ push: DevicePush,
        _ uniqueID: APNSID,
        _ address: Address,
        _ now: Int64
    ) -> AcceptedItem {
        rate.note(address.installation, at: now)
        let number = context.log.accept(
            DeliveryLog.Entry(push, uniqueID: uniqueID, device: address.device, atMilliseconds: now)
        )
        return AcceptedItem(
            push: push,
            uniqueID: uniqueID,
            number: number,
            acceptedAt: now,
            keptUntil: AcceptedItem.end(
                of: push.expiration,
                acceptedAt: now,
                storageDays: context.settings.storageDays
            )
        )
    }

    /// The device has the push.
    package mutating func acknowledge(_ id: APNSID, from address: Address, at now: Int64) -> [DeliveryEffect] {
        perform(address, at: now) { $0.acknowledge(id, &$1) }
    }

    // MARK: Devices

    /// The device is there.
    ///
    /// - Parameters:
    ///   - address: the app on it.
    ///   - connection: the owner's name for it; an older one must have been disconnected.
    ///   - state: how it is.
    ///   - now: milliseconds since 1970.
    /// - Returns: what follows.
    package mutating func connect(
        _ address: Address,
        _ connection: DeliveryEffect.ConnectionID,
        _ state: DeviceState,
        at now: Int64
    ) -> [DeliveryEffect] {
        perform(address, at: now) { $0.connect(connection, state, &$1) }
    }

    /// The connection is gone; of what was not acknowledged the newest waits from now on.
    package mutating func disconnect(_ address: Address, at now: Int64) -> [DeliveryEffect] {
        perform(address, at: now) { $0.disconnect(&$1) }
    }

    package mutating func change(_ address: Address, to state: DeviceState, at now: Int64) -> [DeliveryEffect] {
        perform(address, at: now) { $0.change(to: state, &$1) }
    }

    /// The token is nobody's any more: what waits is given up.
    package mutating func drop(_ address: Address, at now: Int64) -> [DeliveryEffect] {
        guard lanes[address.installation] != nil else { return [] }
        return perform(address, at: now) { $0.drop(&$1) }
    }

    /// Apps to which a delivery has failed since the last call, and when.
    mutating func takeGone() -> [(installation: UInt32, atMilliseconds: Int64)] { context.takeGone() }

    // MARK: Time

    /// When `wake` has something to do; milliseconds since 1970.
    package var nextWakeUp: Int64? { wakeUps.next }

    /// Does what is due: discards what has expired, sends groups, releases background pushes.
    package mutating func wake(at now: Int64) -> [DeliveryEffect] {
        var effects: [DeliveryEffect] = []
        while let installation = wakeUps.pop(at: now) {
            // Entries that were overtaken by an earlier one find a lane with another alarm, or none.
            guard let lane = lanes[installation], lane.alarm <= now else { continue }
            lanes[installation]?.alarm = .max
            effects += perform(Address(installation: installation, device: lane.device), at: now) { $0.wake(&$1) }
        }
        return effects
    }

    private mutating func perform(
        _ address: Address,
        at now: Int64,
        _ body: (inout Lane, inout DeliveryContext) -> Void
    ) -> [DeliveryEffect] {
        context.now = now
        let installation = address.installation
        // Taken out, so that changing it copies nothing.
        var lane =
            lanes.removeValue(forKey: installation) ?? Lane(installation: installation, device: address.device)
        body(&lane, &context)
        if !lane.isIdle(context) {
            // Never the present: `wake` must come to an end.
            let next = max(lane.nextWakeUp(context), now + 1)
            if next < lane.alarm {
                lane.alarm = next
                wakeUps.insert(installation, at: next)
            }
            lanes[installation] = lane
            if wakeUps.count > 64 + 2 * lanes.count { forgetOvertakenWakeUps() }
        }
        return context.takeEffects()
    }

    private mutating func forgetOvertakenWakeUps() {
        wakeUps.removeAll()
        for (installation, lane) in lanes where lane.alarm < .max { wakeUps.insert(installation, at: lane.alarm) }
    }
}

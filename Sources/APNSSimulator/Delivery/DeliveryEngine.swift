package import APNS
package import DeviceLink

/// Store and forward for all apps on all devices. Events and times in, effects out; no socket.
///
/// Has lanes only for apps with a connection or a waiting push.
package struct DeliveryEngine {
    package struct Address: Hashable, Sendable {
        package let installation: UInt32
        /// Our number of the device, which may be logged.
        package let device: Int

        package init(installation: UInt32, device: Int) {
            self.installation = installation
            self.device = device
        }
    }

    private var context: DeliveryContext
    private var lanes: [UInt32: DeliveryPath] = [:]
    private var wakeUps = WakeUps()
    private var rate: RequestRate

    package init(_ settings: DeliverySettings = DeliverySettings()) {
        context = DeliveryContext(settings)
        rate = RequestRate(perMinute: settings.tokenRequestsPerMinute, burst: settings.tokenBurst)
    }

    /// Waiting pushes keep their end; those now allowed are sent.
    mutating func adopt(_ settings: DeliverySettings, at now: Int64) -> [DeliveryEffect] {
        guard settings != context.settings else { return [] }
        rate.adopt(perMinute: settings.tokenRequestsPerMinute, burst: settings.tokenBurst)
        context.adopt(settings)
        return lanes.values.sorted { $0.installation < $1.installation }.flatMap { lane in
            perform(Address(installation: lane.installation, device: lane.device), at: now) { $0.wake(&$1) }
        }
    }

    package var log: DeliveryLog { context.log }

    /// Stored and held pushes of an app.
    func waitingCount(_ installation: UInt32) -> Int { lanes[installation]?.waitingCount ?? 0 }

    var laneCount: Int { lanes.count }

    var alarmCount: Int { wakeUps.count }

    package func isTooFrequent(_ address: Address, at now: Int64) -> Bool {
        rate.isTooFrequent(address.installation, at: now)
    }

    package mutating func accept(
        _ push: DevicePush,
        uniqueID: APNSID,
        for address: Address,
        at now: Int64
    ) -> [DeliveryEffect] {
        let item = begin(push, uniqueID, address, now)
        return perform(address, at: now) { $0.route(item, &$1) }
    }

    /// Records a valid push that will never arrive.
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

    package mutating func acknowledge(_ id: APNSID, from address: Address, at now: Int64) -> [DeliveryEffect] {
        perform(address, at: now) { $0.acknowledge(id, &$1) }
    }

    /// Connects a device without another connection.
    package mutating func connect(
        _ address: Address,
        _ connection: DeliveryEffect.ConnectionID,
        _ state: DeviceState,
        at now: Int64
    ) -> [DeliveryEffect] {
        perform(address, at: now) { $0.connect(connection, state, &$1) }
    }

    /// The newest unacknowledged push waits.
    package mutating func disconnect(_ address: Address, at now: Int64) -> [DeliveryEffect] {
        perform(address, at: now) { $0.disconnect(&$1) }
    }

    package mutating func change(_ address: Address, to state: DeviceState, at now: Int64) -> [DeliveryEffect] {
        perform(address, at: now) { $0.change(to: state, &$1) }
    }

    package mutating func drop(_ address: Address, at now: Int64) -> [DeliveryEffect] {
        guard lanes[address.installation] != nil else { return [] }
        return perform(address, at: now) { $0.drop(&$1) }
    }

    /// Apps that a delivery failed to reach since the last call.
    mutating func takeGone() -> [(installation: UInt32, atMilliseconds: Int64)] { context.takeGone() }

    /// Next time for `wake`, in milliseconds since 1970.
    package var nextWakeUp: Int64? { wakeUps.next }

    /// Discards expired pushes, sends groups, releases background pushes.
    package mutating func wake(at now: Int64) -> [DeliveryEffect] {
        var effects: [DeliveryEffect] = []
        while let installation = wakeUps.pop(at: now) {
            // An outdated entry finds a lane with another alarm, or none.
            guard let lane = lanes[installation], lane.alarm <= now else { continue }
            lanes[installation]?.alarm = .max
            effects += perform(Address(installation: installation, device: lane.device), at: now) { $0.wake(&$1) }
        }
        return effects
    }

    private mutating func perform(
        _ address: Address,
        at now: Int64,
        _ body: (inout DeliveryPath, inout DeliveryContext) -> Void
    ) -> [DeliveryEffect] {
        context.now = now
        let installation = address.installation
        // In its place, so that a change copies nothing.
        let isIdle = Self.change(
            &lanes[installation, default: DeliveryPath(installation: installation, device: address.device)],
            &context,
            &wakeUps,
            body
        )
        if isIdle {
            lanes[installation] = nil
        } else if wakeUps.count > 64 + 2 * lanes.count {
            forgetOvertakenWakeUps()
        }
        return context.takeEffects()
    }

    /// - Returns: true if the lane may be forgotten.
    private static func change(
        _ lane: inout DeliveryPath,
        _ context: inout DeliveryContext,
        _ wakeUps: inout WakeUps,
        _ body: (inout DeliveryPath, inout DeliveryContext) -> Void
    ) -> Bool {
        body(&lane, &context)
        guard !lane.isIdle(context) else { return true }
        // Later than now, so that `wake` terminates.
        let next = max(lane.nextWakeUp(context), context.now + 1)
        if next < lane.alarm {
            lane.alarm = next
            wakeUps.insert(lane.installation, at: next)
        }
        return false
    }

    private mutating func forgetOvertakenWakeUps() {
        wakeUps.removeAll()
        for (installation, lane) in lanes where lane.alarm < .max { wakeUps.insert(installation, at: lane.alarm) }
    }
}

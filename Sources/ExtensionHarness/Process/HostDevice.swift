internal import Platform
internal import UserNotifications

final class HostDevice: Sendable {
    private let simulated: SimulatedDevice
    private let date: SimulatedDate

    init(_ conditions: HostConditions, activities: HostActivities) {
        let date = SimulatedDate(conditions)
        var state = SimulatedDevice.Conditions()
        state.lock = SimulatedDevice.Lock(conditions.lock)
        state.storage = SimulatedDevice.Storage(conditions.storage)
        state.isCompleteByDefault = conditions.isCompleteByDefault
        simulated = SimulatedDevice(
            appGroupsPath: conditions.appGroupsPath,
            clock: conditions.timeScale == 1 ? ContinuousClock() : ScaledClock(scale: conditions.timeScale),
            wallClock: { date.millisecondsSince1970 },
            // One scale for all processes of the device: one's claim ages for the next.
            uptime: { Uptime.ofMachine.scaled(by: conditions.timeScale) },
            hosts: conditions.hosts,
            activity: { activities.begin($0) },
            availableMemory: {
                Footprint.byteCount(of: getpid()).map { max(conditions.memoryByteCountMax - $0, 0) } ?? 0
            },
            conditions: state
        )
        self.date = date
    }

    func occupyProcess() { simulated.occupyProcess() }

    func apply(_ change: HostChange) {
        switch change {
        case .lock(let lock): simulated.change { $0.lock = SimulatedDevice.Lock(lock) }
        case .storage(let storage): simulated.change { $0.storage = SimulatedDevice.Storage(storage) }
        case .dateJump(let milliseconds): date.jump(milliseconds)
        case .memoryPressure(let pressure): DispatchSource.raise(pressure.event, on: simulated)
        }
    }
}

private final class SimulatedDate: Sendable {
    private let clock: ScaledClock
    private let origin: Guarded<UInt64>

    init(_ conditions: HostConditions) {
        clock = ScaledClock(scale: conditions.timeScale)
        origin = Guarded(conditions.millisecondsSince1970)
    }

    var millisecondsSince1970: UInt64 {
        let passed = UInt64(exactly: (clock.now.offset / .milliseconds(1)).rounded()) ?? 0
        return origin.withLock { $0.addingReportingOverflow(passed).partialValue }
    }

    func jump(_ milliseconds: Int64) {
        origin.withLock { origin in
            let magnitude = milliseconds.magnitude
            origin = milliseconds < 0 ? origin - min(origin, magnitude) : origin &+ magnitude
        }
    }
}

extension SimulatedDevice.Lock {
    fileprivate init(_ lock: HostConditions.Lock) {
        switch lock {
        case .beforeFirstUnlock: self = .beforeFirstUnlock
        case .locked: self = .locked
        case .unlocked: self = .unlocked
        }
    }
}

extension SimulatedDevice.Storage {
    fileprivate init(_ storage: HostConditions.Storage) {
        switch storage {
        case .writable: self = .writable
        case .full: self = .full
        case .readOnly: self = .readOnly
        }
    }
}

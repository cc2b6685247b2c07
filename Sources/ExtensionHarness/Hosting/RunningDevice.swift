internal import Platform
internal import UserNotifications

extension Device.MemoryPressure {
    var event: DispatchSource.MemoryPressureEvent {
        switch self {
        case .normal: .normal
        case .warning: .warning
        case .critical: .critical
        }
    }
}

/// Device as the extension's code sees it during one push.
struct RunningDevice: Sendable {
    private let device: SimulatedDevice
    private let dateJump = Guarded(Duration.zero)
    private let clock: SimulatedClock

    init(_ conditions: Device.Conditions, clock: SimulatedClock, center: any NotificationSystem) {
        let arrival = (conditions.date ?? Date()).timeIntervalSince1970
        let start = clock.now
        let dateJump = dateJump
        self.clock = clock
        var limits = SimulatedDevice.Conditions()
        limits.lock = SimulatedDevice.Lock(conditions.lock)
        limits.storage = SimulatedDevice.Storage(conditions.storage)
        limits.isCompleteByDefault = conditions.entitlements.contains(.completeProtection)
        device = SimulatedDevice(
            appGroupsPath: conditions.appGroups?.path,
            clock: clock,
            system: center,
            wallClock: {
                let passed = start.duration(to: clock.now) + dateJump.withLock { $0 }
                return UInt64(clampingMilliseconds: arrival + passed / .seconds(1))
            },
            uptime: { clock.uptime },
            network: conditions.network(clock),
            hosts: conditions.hosts.map(\.mapping),
            availableMemory: { conditions.memoryLimit.byteCount },
            onWork: { work in
                switch work {
                case .begins: clock.hold()
                case .ends: clock.release()
                }
            },
            conditions: limits
        )
    }

    func run(_ body: () -> Void) {
        device.bind(body)
    }

    /// Applies each change at its time, until the task is cancelled.
    func make(_ changes: [Device.Change], from start: SimulatedClock.Instant) async {
        for change in changes.sorted(by: { $0.after < $1.after }) {
            do {
                try await clock.sleep(until: start.advanced(by: change.after), isSystem: true)
            } catch {
                return
            }
            make(change.event)
        }
    }

    private func make(_ event: Device.Change.Event) {
        switch event {
        case .lock(let lock): device.change { $0.lock = SimulatedDevice.Lock(lock) }
        case .storage(let storage): device.change { $0.storage = SimulatedDevice.Storage(storage) }
        case .dateJumps(let duration): dateJump.withLock { $0 += duration }
        case .memoryPressure(let pressure): DispatchSource.raise(pressure.event, on: device)
        }
    }
}

extension Device.Conditions {
    fileprivate func network(_ clock: SimulatedClock) -> SimulatedDevice.Network? {
        guard let files = attachmentFiles else { return nil }
        return { [attachmentServer] url, offset in
            // Throws only if the caller was cancelled.
            try? await attachmentServer.networkAnswer(with: files[url], from: offset, on: clock)
        }
    }
}

extension SimulatedDevice.Lock {
    init(_ lock: Device.Lock) {
        switch lock {
        case .beforeFirstUnlock: self = .beforeFirstUnlock
        case .locked: self = .locked
        case .unlocked: self = .unlocked
        }
    }
}

extension SimulatedDevice.Storage {
    init(_ storage: Device.Storage) {
        switch storage {
        case .writable: self = .writable
        case .full: self = .full
        case .readOnly: self = .readOnly
        }
    }
}

extension UInt64 {
    /// Clamps: a date before 1970 or beyond any calendar must not trap.
    fileprivate init(clampingMilliseconds seconds: Double) {
        self = UInt64(exactly: (seconds * 1_000).rounded(.down)) ?? (seconds > 0 ? .max : 0)
    }
}

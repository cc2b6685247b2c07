internal import UserNotifications

extension ExtensionRequest {
    /// Seconds on the device for each real one, only if asked for: a process takes real time, and a slow machine's must
    /// not be scaled into the extension's.
    var timeScale: Double {
        guard case .scaled(let scale) = conditions.timekeeping, scale.isFinite else { return 1 }
        return min(max(scale, 0.001), 1_000)
    }

    var schedule: ProcessSupervision.Schedule {
        let timetable = timetable
        return ProcessSupervision.Schedule(
            expiries: timetable.expiries.map { $0 / timeScale },
            end: timetable.end / timeScale,
            changes: changes.map { $0.after / timeScale },
            activity: conditions.limits.activity / timeScale
        )
    }

    var changes: [Device.Change] { conditions.changes.sorted { $0.after < $1.after } }

    var appGroupsPath: String? {
        conditions.appGroups?.path ?? ProcessInfo.processInfo.environment["SEALEDPUSH_APP_GROUPS"]
    }
}

extension HostDelivery {
    init(_ number: Int, _ request: ExtensionRequest) {
        self.init(
            number: number,
            identifier: request.push.identifier,
            userInfo: request.push.userInfo,
            title: request.alertText.title,
            subtitle: request.alertText.subtitle,
            body: request.alertText.body,
            reusesObject: request.conditions.process == .reused,
            conditions: HostConditions(request),
            screen: HostScreenState(request.center)
        )
    }
}

extension HostConditions {
    fileprivate init(_ request: ExtensionRequest) {
        let seconds = (request.conditions.date ?? Date()).timeIntervalSince1970
        self.init(
            lock: Lock(request.conditions.lock),
            storage: Storage(request.conditions.storage),
            isCompleteByDefault: request.conditions.entitlements.contains(.completeProtection),
            appGroupsPath: request.appGroupsPath,
            hosts: request.conditions.hosts.map(\.mapping),
            millisecondsSince1970: UInt64(exactly: (seconds * 1_000).rounded()) ?? 0,
            memoryByteCountMax: request.conditions.memoryLimit.byteCount,
            timeScale: request.timeScale
        )
    }
}

extension HostConditions.Lock {
    fileprivate init(_ lock: Device.Lock) {
        switch lock {
        case .beforeFirstUnlock: self = .beforeFirstUnlock
        case .locked: self = .locked
        case .unlocked: self = .unlocked
        }
    }
}

extension HostConditions.Storage {
    fileprivate init(_ storage: Device.Storage) {
        switch storage {
        case .writable: self = .writable
        case .full: self = .full
        case .readOnly: self = .readOnly
        }
    }
}

extension HostChange {
    init(_ event: Device.Change.Event) {
        switch event {
        case .lock(let lock): self = .lock(HostConditions.Lock(lock))
        case .storage(let storage): self = .storage(HostConditions.Storage(storage))
        case .dateJumps(let duration):
            self = .dateJump(milliseconds: Int64(exactly: (duration / .milliseconds(1)).rounded()) ?? 0)
        case .memoryPressure(let pressure): self = .memoryPressure(pressure)
        }
    }
}

package import PushStore

/// Accepted notifications of each tenant on one UTC day. A value.
package struct DailyQuota: Equatable, Sendable {
    private static let secondsPerDay: Int64 = 86_400

    /// Days since 1970.
    package private(set) var day: Int64
    package private(set) var used: [TenantID: Int]

    package init(day: Int64 = 0, used: [TenantID: Int] = [:]) {
        self.day = day
        self.used = used
    }

    /// Takes `count`, or none.
    ///
    /// - Parameters:
    ///   - tenant: configured, which bounds the table.
    ///   - unixSeconds: wall clock. Set back by more than a day, it starts a new one.
    /// - Returns: nil on success; otherwise seconds until the next day.
    package mutating func take(_ count: Int, of tenant: TenantID, max: Int, unixSeconds: Int64) -> Int64? {
        guard count >= 0, count <= room(of: tenant, max: max, unixSeconds: unixSeconds) else {
            return (day + 1) * Self.secondsPerDay - unixSeconds
        }
        used[tenant, default: 0] += count
        return nil
    }

    /// - Returns: what is left of `max`, after a turn of the day; below 0 if `max` was lowered.
    package mutating func room(of tenant: TenantID, max: Int, unixSeconds: Int64) -> Int {
        let today = unixSeconds.quotient(roundedDownBy: Self.secondsPerDay)
        if today > day || today < day - 1 {
            day = today
            used = [:]
        }
        return max - (used[tenant] ?? 0)
    }

    /// Adds a relay's use to that of all.
    ///
    /// - Parameters:
    ///   - own: the relay's table.
    ///   - seen: what that table took over from all.
    mutating func add(_ own: DailyQuota, since seen: DailyQuota) {
        guard own.day >= day else { return }
        if own.day > day { self = DailyQuota(day: own.day) }
        let before = seen.day == own.day ? seen.used : [:]
        for (tenant, count) in own.used {
            used[tenant] = Swift.max(0, used[tenant, default: 0] + count - before[tenant, default: 0])
        }
    }

    package mutating func giveBack(_ count: Int, of tenant: TenantID) {
        guard let before = used[tenant] else { return }
        used[tenant] = Swift.max(0, before - count)
    }
}

extension Int64 {
    fileprivate func quotient(roundedDownBy divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

package import PushStore

/// How many notifications each tenant may still have accepted today, by UTC.
///
/// A value: the store keeps `used` with its day and gives it back after a restart.
package struct DailyQuota: Equatable, Sendable {
    private static let secondsPerDay: Int64 = 86_400

    /// Days since 1970.
    package private(set) var day: Int64
    /// Accepted on that day, for each tenant that sent.
    package private(set) var used: [TenantID: Int]

    /// - Parameters:
    ///   - day: days since 1970; 0 with nothing used for a new service.
    ///   - used: what was accepted on that day.
    package init(day: Int64 = 0, used: [TenantID: Int] = [:]) {
        self.day = day
        self.used = used
    }

    /// Takes `count`, or none.
    ///
    /// - Parameters:
    ///   - count: notifications of one request.
    ///   - tenant: a configured one, so that the table is bounded by the configuration.
    ///   - max: the tenant's quota for a day.
    ///   - unixSeconds: the wall clock. A clock that goes back a little does not give a quota twice: the day never decreases
    ///     by less than two days; a clock that was set right again by more starts the day anew.
    /// - Returns: nil when they were taken; otherwise the seconds until the next day.
    package mutating func take(_ count: Int, of tenant: TenantID, max: Int, unixSeconds: Int64) -> Int64? {
        let today = unixSeconds.quotient(roundedDownBy: Self.secondsPerDay)
        if today > day || today < day - 1 {
            day = today
            used = [:]
        }
        let before = used[tenant] ?? 0
        guard count >= 0, count <= max - before else {
            return (day + 1) * Self.secondsPerDay - unixSeconds
        }
        used[tenant] = before + count
        return nil
    }

    /// Gives back what could not be stored after all.
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

/// Times of the expiry calls and of the extension's end, counted from `didReceive`.
struct Timetable: Sendable, Equatable {
    /// Calls of `serviceExtensionTimeWillExpire`, in order.
    let expiries: [Duration]
    /// End of the process if it has not answered by then.
    let end: Duration

    init(limits: Device.Limits, expiry: Device.Expiry) {
        let limit: Duration
        switch expiry {
        case .onTime, .never, .twice: limit = limits.time
        case .early(let by): limit = max(limits.time - by, .zero)
        case .late(let by): limit = limits.time + by
        }
        switch expiry {
        case .never:
            expiries = []
            end = limit
        case .twice:
            expiries = [limit, limit + limits.grace / 2]
            end = limit + limits.grace
        case .onTime, .early, .late:
            expiries = [limit]
            end = limit + limits.grace
        }
    }
}

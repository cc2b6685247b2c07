import APNS
import DeviceLink

/// A push between its acceptance and its end.
struct AcceptedItem {
    var push: DevicePush
    let uniqueID: APNSID
    /// Its place in the order of acceptance.
    let number: Int
    /// Milliseconds since 1970.
    let acceptedAt: Int64
    /// Until then it may wait; milliseconds since 1970.
    let keptUntil: Int64
    /// Whether it is known to wait since it was last on its way.
    var isStored = false

    func mayWait(at now: Int64) -> Bool { keptUntil > now }

    /// Until when a push may wait.
    ///
    /// - Parameters:
    ///   - expiration: 0 is before every time; `nil` leaves it to APNs.
    ///   - now: milliseconds since 1970.
    ///   - storageDays: APNs's own policy.
    /// - Returns: milliseconds since 1970.
    static func end(of expiration: Expiration?, acceptedAt now: Int64, storageDays: Int64) -> Int64 {
        guard let expiration else { return now + storageDays * 86_400_000 }
        let (milliseconds, overflow) = Int64(clamping: expiration.unixSeconds).multipliedReportingOverflow(by: 1000)
        return overflow ? .max : milliseconds
    }
}

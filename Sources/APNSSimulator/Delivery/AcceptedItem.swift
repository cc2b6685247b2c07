import APNS
import DeviceLink

/// Unsettled accepted push.
struct AcceptedItem {
    var push: DevicePush
    let uniqueID: APNSID
    /// Number in order of acceptance.
    let number: Int
    /// Milliseconds since 1970.
    let acceptedAt: Int64
    /// End of storage; milliseconds since 1970.
    let keptUntil: Int64
    /// Reported as stored since last sent.
    var isStored = false

    func mayWait(at now: Int64) -> Bool { keptUntil > now }

    /// End of a push's storage, in milliseconds since 1970.
    ///
    /// - Parameter expiration: 0 is before every time; `nil` is `storageDays`.
    static func end(of expiration: Expiration?, acceptedAt now: Int64, storageDays: Int64) -> Int64 {
        guard let expiration else { return now + storageDays * 86_400_000 }
        let (milliseconds, overflow) = Int64(clamping: expiration.unixSeconds).multipliedReportingOverflow(by: 1000)
        return overflow ? .max : milliseconds
    }
}

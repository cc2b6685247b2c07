import Envelope

/// Each device's rate, shared by its endpoints.
///
/// A device has as many places as its burst, and gives back the oldest at its rate. An endpoint takes another only while
/// it has fewer than are free. So `n` floods leave one place in `n + 1` to the next server, for every `n` below the burst
/// (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6, 1998).
struct DeviceShares {
    typealias Device = DeviceBucket.Key

    struct Rate {
        let placeCount: Int
        /// Nanoseconds in which a place is given back.
        let interval: Int64
    }

    private struct Row {
        /// The oldest first.
        var holders: [EndpointID] = []
        /// Time at which the oldest place is given back; nanoseconds of a monotonic clock.
        var freesAt: Int64 = 0

        func givenBackCount(_ rate: Rate, now: Int64) -> Int {
            guard !holders.isEmpty, freesAt <= now else { return 0 }
            return min(holders.count, Int((now - freesAt) / rate.interval) + 1)
        }

        func hasRoom(for endpoint: EndpointID, _ rate: Rate, now: Int64) -> Bool {
            let taken = holders[givenBackCount(rate, now: now)...]
            let (own, free) = (taken.count { $0 == endpoint }, rate.placeCount - taken.count)
            return own == 0 ? free > 0 : own < free
        }

        mutating func take(_ endpoint: EndpointID, _ rate: Rate, now: Int64) {
            let count = givenBackCount(rate, now: now)
            holders.removeFirst(count)
            freesAt = holders.isEmpty ? now + rate.interval : freesAt + Int64(count) * rate.interval
            holders.append(endpoint)
        }
    }

    /// Devices with places taken. Without free rows, further ones share `others`.
    private let rowCountMax: Int
    private var rows: [Device: Row] = [:]
    private var others = Row()
    private var sweepsAt = Int64.min

    /// - Parameter rowCountMax: of some 100 bytes, and 16 for each place.
    init(rowCountMax: Int) { self.rowCountMax = rowCountMax }

    /// Looks for a place, and takes none. A device without a row has room as far as is known.
    ///
    /// - Parameter now: nanoseconds of a monotonic clock.
    /// - Returns: nil if there is one; otherwise the time to wait.
    func wait(_ endpoint: EndpointID, of device: Device, _ rate: Rate, now: Int64) -> Duration? {
        guard let row = rows[device], !row.hasRoom(for: endpoint, rate, now: now) else { return nil }
        return .nanoseconds(max(0, row.freesAt - now))
    }

    /// Takes a place, or none.
    ///
    /// - Returns: as for `wait`.
    mutating func take(_ endpoint: EndpointID, of device: Device, _ rate: Rate, now: Int64) -> Duration? {
        if let index = rows.index(forKey: device) {
            return Self.take(endpoint, of: &rows.values[index], rate, now: now)
        }
        if rows.count >= rowCountMax { sweep(rate, now: now) }
        guard rows.count < rowCountMax else { return Self.take(endpoint, of: &others, rate, now: now) }
        var row = Row()
        defer { rows[device] = row }
        return Self.take(endpoint, of: &row, rate, now: now)
    }

    private static func take(_ endpoint: EndpointID, of row: inout Row, _ rate: Rate, now: Int64) -> Duration? {
        guard row.hasRoom(for: endpoint, rate, now: now) else { return .nanoseconds(max(0, row.freesAt - now)) }
        row.take(endpoint, rate, now: now)
        return nil
    }

    /// Drops devices whose places are all free; once an interval.
    private mutating func sweep(_ rate: Rate, now: Int64) {
        guard now >= sweepsAt else { return }
        rows = rows.filter { $0.value.givenBackCount(rate, now: now) < $0.value.holders.count }
        sweepsAt = now + rate.interval
    }
}

import Envelope

/// Daily delivery counts by app and region: a drop in one region is the first sign of a blocked network or a broken
/// release.
///
/// Bounded: regions have the form of ISO 3166 codes, and rows beyond the limit count under `other`.
package struct DeliveryRates: Equatable, Sendable {
    package struct Row: Hashable, Sendable {
        /// Days since 1970.
        package let day: Int64
        /// A configured bundle id.
        package let app: String
        /// Two letters or three digits, or `other`.
        package let region: String
    }

    package struct Counts: Equatable, Sendable {
        package var accepted = 0
        /// Accepted ones that APNs took.
        package var sent = 0
        /// Sent ones with a receipt: a lower bound of arrivals.
        package var received = 0
        package var undeliverable = 0
    }

    /// An app in a region.
    package struct Place: Hashable, Comparable, Sendable {
        /// A configured bundle id.
        package let app: String
        /// As in `Row`.
        package let region: String

        package static func < (one: Place, other: Place) -> Bool {
            (one.app, one.region) < (other.app, other.region)
        }
    }

    package static let other = "other"
    package static let dayCountMax: Int64 = 30

    private let rowCountMax: Int
    package private(set) var rows: [Row: Counts] = [:]

    /// - Parameter rowCountMax: of all days.
    package init(rowCountMax: Int = 50_000) { self.rowCountMax = rowCountMax }

    /// Adds one to a count.
    ///
    /// - Parameters:
    ///   - region: the device's; a malformed code counts as `other`.
    ///   - day: days since 1970.
    package mutating func add(
        _ member: WritableKeyPath<Counts, Int>,
        app: String,
        region: String?,
        day: Int64
    ) {
        let code = region.flatMap { DeviceWords.isRegion($0) ? $0 : nil } ?? Self.other
        var row = Row(day: day, app: app, region: code)
        // The usual case, with one look-up.
        if let index = rows.index(forKey: row) {
            rows.values[index][keyPath: member] += 1
            return
        }
        if rows.count >= rowCountMax {
            rows = rows.filter { $0.key.day > day - Self.dayCountMax }
            if rows.count >= rowCountMax { row = Row(day: day, app: app, region: Self.other) }
            // At worst one row for each day and app, which the configuration bounds.
        }
        rows[row, default: Counts()][keyPath: member] += 1
    }

    /// A day's counts for reports. The places with the fewest notifications beyond `placeCountMax` merge into their
    /// app's `other`, so there are at most `placeCountMax` and one for each app.
    package func places(day: Int64, placeCountMax: Int) -> [Place: Counts] {
        let own = rows.filter { $0.key.day == day }.sorted {
            ($1.value.accepted, $0.key.app, $0.key.region) < ($0.value.accepted, $1.key.app, $1.key.region)
        }
        var places: [Place: Counts] = [:]
        for (index, row) in own.enumerated() {
            let region = index < placeCountMax ? row.key.region : Self.other
            places[Place(app: row.key.app, region: region), default: Counts()].add(row.value)
        }
        return places
    }

    /// Restores earlier counts.
    mutating func add(_ counts: Counts, to row: Row) {
        guard rows[row] != nil || rows.count < rowCountMax else { return }
        rows[row, default: Counts()].add(counts)
    }
}

import Envelope

/// Daily delivery counts by app and region: a drop in one region shows a blocked network or a broken release.
///
/// Rows beyond the limit count under `other`.
package struct DeliveryRates: Equatable, Sendable {
    package struct Row: Hashable, Sendable {
        /// Days since 1970.
        package let day: Int64
        /// Configured bundle id.
        package let app: String
        /// Assigned ISO 3166-1 code, or `other`.
        package let region: String
    }

    package struct Counts: Equatable, Sendable {
        package var accepted = 0
        package var sent = 0
        /// Lower bound of arrivals.
        package var received = 0
        package var undeliverable = 0
    }

    package struct Place: Hashable, Comparable, Sendable {
        package let app: String
        package let region: String

        package static func < (one: Place, other: Place) -> Bool {
            (one.app, one.region) < (other.app, other.region)
        }
    }

    package static let other = "other"
    package static let dayCountMax: Int64 = 30

    private let rowCountMax: Int
    package private(set) var rows: [Row: Counts] = [:]

    package init(rowCountMax: Int = 50_000) { self.rowCountMax = rowCountMax }

    /// - Parameter region: an unassigned code counts as `other`.
    package mutating func add(
        _ member: WritableKeyPath<Counts, Int>,
        app: String,
        region: String?,
        day: Int64
    ) {
        let code = region.flatMap { DeviceWords.isRegion($0) ? $0 : nil } ?? Self.other
        var row = Row(day: day, app: app, region: code)
        if let index = rows.index(forKey: row) {
            rows.values[index][keyPath: member] += 1
            return
        }
        if rows.count >= rowCountMax {
            rows = rows.filter { $0.key.day > day - Self.dayCountMax }
            if rows.count >= rowCountMax { row = Row(day: day, app: app, region: Self.other) }
            // At worst one row for each day and app.
        }
        rows[row, default: Counts()][keyPath: member] += 1
    }

    /// Counts for reports: at most `placeCountMax` places, and one for each app. The smallest merge into `other`.
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

    mutating func add(_ counts: Counts, to row: Row) {
        guard rows[row] != nil || rows.count < rowCountMax else { return }
        rows[row, default: Counts()].add(counts)
    }
}

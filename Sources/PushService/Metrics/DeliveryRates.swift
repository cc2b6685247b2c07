import Envelope
package import PushStore

/// Daily delivery counts by tenant, app and region: a drop in one region shows a blocked network or a broken release.
///
/// Rows beyond a limit count under `other`.
package struct DeliveryRates: Equatable, Sendable {
    package struct Row: Hashable, Sendable {
        package let tenant: TenantID
        /// Configured bundle id.
        package let app: String
        /// Assigned ISO 3166-1 code, or `other`.
        package let region: String
    }

    package struct Counts: Equatable, Sendable {
        package var accepted = 0
        /// Written to APNs at least once.
        package var tried = 0
        /// Taken by APNs.
        package var sent = 0
        /// Receipts: opened on the device.
        package var received = 0
        /// Reports of devices that could not open one; a device may repeat them.
        package var unopened = 0
        package var undeliverable = 0

        static let members: [(name: StaticString, path: any WritableKeyPath<Counts, Int> & Sendable)] = [
            ("accepted", \.accepted), ("tried", \.tried), ("sent", \.sent), ("received", \.received),
            ("unopened", \.unopened), ("undeliverable", \.undeliverable),
        ]
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
    private let rowCountMaxOfDay: Int
    /// By days since 1970.
    package private(set) var days: [Int64: [Row: Counts]] = [:]

    package init(rowCountMax: Int = 50_000, rowCountMaxOfDay: Int = 5_000) {
        self.rowCountMax = rowCountMax
        self.rowCountMaxOfDay = rowCountMaxOfDay
    }

    package var rowCount: Int { days.values.reduce(0) { $0 + $1.count } }

    package mutating func add(
        _ member: WritableKeyPath<Counts, Int>,
        tenant: TenantID,
        app: String,
        region: String?,
        day: Int64
    ) {
        var one = Counts()
        one[keyPath: member] = 1
        add(one, tenant: tenant, app: app, region: region, day: day)
    }

    /// - Parameter region: an unassigned code counts as `other`.
    mutating func add(_ counts: Counts, tenant: TenantID, app: String, region: String?, day: Int64) {
        let code = region.flatMap { DeviceWords.isRegion($0) ? $0 : nil } ?? Self.other
        var row = Row(tenant: tenant, app: app, region: code)
        if let index = days[day]?.index(forKey: row) {
            days[day]?.values[index].add(counts)
            return
        }
        if !hasRoom(on: day) {
            days = days.filter { $0.key > day - Self.dayCountMax }
            // At worst one row for each day, tenant and app.
            if !hasRoom(on: day) { row = Row(tenant: tenant, app: app, region: Self.other) }
        }
        days[day, default: [:]][row, default: Counts()].add(counts)
    }

    private func hasRoom(on day: Int64) -> Bool {
        rowCount < rowCountMax && days[day, default: [:]].count < rowCountMaxOfDay
    }

    /// Day's rows, the most accepted first: at most `countMax`, and one for each tenant and app. The smallest merge into
    /// `other`.
    package func rows(day: Int64, of tenant: TenantID? = nil, countMax: Int) -> [(row: Row, counts: Counts)] {
        var sorted: [(key: Row, value: Counts)] = []
        for row in days[day, default: [:]] where tenant == nil || row.key.tenant == tenant { sorted.append(row) }
        sorted.sort { ($1.value.accepted, $0.key.app, $0.key.region) < ($0.value.accepted, $1.key.app, $1.key.region) }
        var rows: [(row: Row, counts: Counts)] = []
        var others: [Row: Int] = [:]
        for (index, (row, counts)) in sorted.enumerated() {
            guard index >= countMax || row.region == Self.other else {
                rows.append((row, counts))
                continue
            }
            let other = Row(tenant: row.tenant, app: row.app, region: Self.other)
            if let place = others[other] {
                rows[place].counts.add(counts)
            } else {
                others[other] = rows.count
                rows.append((other, counts))
            }
        }
        return rows
    }

    /// Counts for Prometheus, of all tenants together.
    package func places(day: Int64, placeCountMax: Int) -> [Place: Counts] {
        var places: [Place: Counts] = [:]
        for (row, counts) in rows(day: day, countMax: placeCountMax) {
            places[Place(app: row.app, region: row.region), default: Counts()].add(counts)
        }
        return places
    }

    /// Counts of a day by tenant and app.
    package func totals(day: Int64, of tenant: TenantID? = nil) -> [(row: Row, counts: Counts)] {
        rows(day: day, of: tenant, countMax: 0).sorted {
            ($0.row.app, $0.row.tenant.text) < ($1.row.app, $1.row.tenant.text)
        }
    }

    /// Takes a day over as `notes` have it, and adds what has come since it was `seen`.
    mutating func merge(
        _ notes: [[UInt8]],
        day: Int64,
        seen: [Row: Counts],
        owner: (_ app: String) -> TenantID?
    ) -> [Row: Counts] {
        let own = days[day] ?? [:]
        days[day] = nil
        for note in notes where !note.isEmpty { read(note, day: day, owner: owner) }
        let all = days[day] ?? [:]
        for (row, counts) in own {
            var new = counts
            if let before = seen[row] { new.subtract(before) }
            add(new, to: row, day: day)
        }
        return all
    }

    mutating func add(_ counts: Counts, to row: Row, day: Int64) {
        guard days[day]?[row] != nil || hasRoom(on: day) else { return }
        days[day, default: [:]][row, default: Counts()].add(counts)
    }
}

extension DeliveryRates.Counts {
    mutating func add(_ other: DeliveryRates.Counts) {
        for (_, path) in Self.members { self[keyPath: path] += other[keyPath: path] }
    }

    /// Rows that were merged into `other` may have had more: then nothing is left.
    mutating func subtract(_ other: DeliveryRates.Counts) {
        for (_, path) in Self.members { self[keyPath: path] = max(0, self[keyPath: path] - other[keyPath: path]) }
    }
}

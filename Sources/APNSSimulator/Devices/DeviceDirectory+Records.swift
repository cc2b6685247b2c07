import DeviceLink

extension DeviceDirectory {
    /// Restores an earlier run's registrations, and tracks later changes.
    mutating func restore(_ records: [TokenRecord]) {
        for record in records {
            installations.restore(record)
            guard let base = record.base,
                let registration = TokenRegistration(record.app.kind, instance: record.instance)
            else { continue }
            siblings.add(registration, record.number, beside: base)
        }
        for record in records {
            guard case .replaced = record.status else { continue }
            siblings.remove(beside: record.number)
        }
        installations.keepChanges()
    }

    /// Records changed since the last call; none without `restore`.
    mutating func takeRecords() -> [TokenRecord] {
        installations.takeChanged().map { number in
            var record = installations.record(of: number)
            if let place = siblings.place(of: number) {
                (record.base, record.instance) = (place.base, place.registration.instance)
            }
            return record
        }
    }
}

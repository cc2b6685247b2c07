import Envelope

/// Day's rows as a note of the store: JSON, strict, bounded.
///
///     {"day": 20758, "rows": [["com.example.chat", "CH", 120, 118, 90, 1]]}
extension DeliveryRates {
    private static let noteByteCountMax = 4 * 1_024 * 1_024

    package func totals(day: Int64) -> [String: Counts] {
        rows.reduce(into: [:]) { totals, row in
            guard row.key.day == day else { return }
            totals[row.key.app, default: Counts()].add(row.value)
        }
    }

    /// - Parameter day: days since 1970.
    func note(day: Int64, rowCountMax: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("day", day)
            writer.name("rows")
            writer.array { writer in
                for (row, counts) in rows.lazy.filter({ $0.key.day == day }).prefix(rowCountMax) {
                    writer.array { writer in
                        writer.string(row.app)
                        writer.string(row.region)
                        for count in [counts.accepted, counts.sent, counts.received, counts.undeliverable] {
                            writer.integer(count)
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    /// Adds a note's rows; none of a damaged note or another day's.
    mutating func read(_ note: [UInt8], day: Int64) {
        let limits = JSONParser.Limits(byteCountMax: Self.noteByteCountMax, depthMax: 4, allowsFractions: false)
        guard let value = try? JSONParser.parse(note, limits: limits), case .integer(day)? = value["day"]?.content
        else {
            return
        }
        for row in value["rows"]?.elements ?? [] {
            guard let cells = row.elements, cells.count == 6, let app = cells[0].string, let region = cells[1].string
            else { continue }
            let counts = cells[2...].compactMap { cell -> Int? in
                guard case .integer(let count) = cell.content, count >= 0, count < 1 << 52 else { return nil }
                return Int(count)
            }
            guard counts.count == 4 else { continue }
            add(
                Counts(accepted: counts[0], sent: counts[1], received: counts[2], undeliverable: counts[3]),
                to: Row(day: day, app: app, region: region)
            )
        }
    }
}

extension DeliveryRates.Counts {
    mutating func add(_ other: DeliveryRates.Counts) {
        accepted += other.accepted
        sent += other.sent
        received += other.received
        undeliverable += other.undeliverable
    }
}

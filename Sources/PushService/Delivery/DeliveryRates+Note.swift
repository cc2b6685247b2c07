import Envelope
import PushStore

/// Day's rows as notes of the store: JSON, strict, bounded.
///
///     {"day": 20758, "rows": [["acme", "com.example.chat", "CH", 120, 119, 118, 90, 0, 1]]}
extension DeliveryRates {
    /// Of one day: the smallest rows beyond them are not kept.
    static let noteCountMax = 4

    /// - Parameter day: days since 1970.
    /// - Returns: `noteCountMax` at most, one at least.
    func notes(day: Int64, byteCountMax: Int = NoteLimits.byteCounts.upperBound) -> [[UInt8]] {
        var notes: [[UInt8]] = []
        var lines: [[UInt8]] = []
        let frame = Self.note(day, []).count
        var byteCount = frame
        for (row, counts) in rows(day: day, countMax: .max) {
            let line = Self.line(row, counts)
            if byteCount + line.count + 1 > byteCountMax {
                notes.append(Self.note(day, lines))
                (lines, byteCount) = ([], frame)
                guard notes.count < Self.noteCountMax else { return notes }
            }
            lines.append(line)
            byteCount += line.count + 1
        }
        return notes + [Self.note(day, lines)]
    }

    private static func note(_ day: Int64, _ lines: [[UInt8]]) -> [UInt8] {
        Array("{\"day\":\(day),\"rows\":[".utf8) + lines.joined(separator: [UInt8(ascii: ",")]) + Array("]}".utf8)
    }

    private static func line(_ row: Row, _ counts: Counts) -> [UInt8] {
        var writer = JSONWriter()
        writer.array { writer in
            writer.string(row.tenant.text)
            writer.string(row.app)
            writer.string(row.region)
            for (_, path) in Counts.members { writer.integer(counts[keyPath: path]) }
        }
        return writer.bytes
    }

    /// Adds a note's rows; none of a damaged note or another day's.
    ///
    /// - Parameter owner: tenant of an app, for rows of an earlier release, which had none; nil leaves them out.
    mutating func read(_ note: [UInt8], day: Int64, owner: (_ app: String) -> TenantID?) {
        let limits = JSONParser.Limits(
            byteCountMax: NoteLimits.byteCounts.upperBound,
            depthMax: 4,
            allowsFractions: false
        )
        guard let value = try? JSONParser.parse(note, limits: limits), case .integer(day)? = value["day"]?.content
        else {
            return
        }
        for row in value["rows"]?.elements ?? [] {
            guard let cells = row.elements, let (row, counts) = Self.read(cells, owner) else { continue }
            add(counts, to: row, day: day)
        }
    }

    private static let earlierMembers: [any WritableKeyPath<Counts, Int> & Sendable] = [
        \.accepted, \.sent, \.received, \.undeliverable,
    ]

    private static func read(_ cells: [JSONValue], _ owner: (String) -> TenantID?) -> (Row, Counts)? {
        let isEarlier = cells.count == 2 + earlierMembers.count
        let paths = isEarlier ? earlierMembers : Counts.members.map(\.path)
        let words = cells.dropLast(paths.count).compactMap(\.string)
        guard cells.count == words.count + paths.count, words.count == (isEarlier ? 2 : 3) else { return nil }
        var counts = Counts()
        for (cell, path) in zip(cells.suffix(paths.count), paths) {
            guard case .integer(let count) = cell.content, count >= 0, count < 1 << 52 else { return nil }
            counts[keyPath: path] = Int(count)
        }
        if isEarlier { counts.tried = counts.sent }
        guard let tenant = isEarlier ? owner(words[0]) : try? TenantID(words[0]) else { return nil }
        return (Row(tenant: tenant, app: words[words.count - 2], region: words[words.count - 1]), counts)
    }
}

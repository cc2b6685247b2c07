internal import APNS
internal import Envelope
internal import PostgreSQL
internal import PushStore

/// Row of a SQLite table as a statement's parameters, with what only this engine has.
struct MovedRow {
    let values: [CopiedValue]

    init(_ table: CopiedTable, _ row: [CopiedValue], _ secrets: StoreSecrets) {
        switch table {
        case .devices, .attested, .endpoints: values = row + [Self.shard(row[0], row[1])]
        case .entries: values = Self.entry(row, secrets)
        default: values = row
        }
    }

    private static func shard(_ tenant: CopiedValue, _ device: CopiedValue) -> CopiedValue {
        guard case .bytes(let tenant) = tenant, case .bytes(let device) = device,
            let key = DeviceKey(tenant: tenant, device: device)
        else { return .integer(0) }
        return .integer(Int64(key.shard.index))
    }

    /// Adds the hash of its device, its collapse key and whether its last attempt's outcome is unknown.
    private static func entry(_ row: [CopiedValue], _ secrets: StoreSecrets) -> [CopiedValue] {
        var row = row
        var (device, collapse) = (CopiedValue.integer(0), CopiedValue.none)
        if case .bytes(let header) = row[15], let fields = EntryHeader.decode(header),
            case .bytes(let name) = row[1], let tenant = try? TenantID(bytes: name)
        {
            device = .integer(Int64(bitPattern: Shard.hash(tenant: tenant, device: fields.device)))
            if let id = fields.collapseID {
                let key = EntryInsert.collapse(id, device: fields.device, topic: fields.topic, of: tenant, secrets)
                collapse = .bytes(key)
            }
        }
        if case .bytes(let text) = row[14] {
            row[14] = Trace(text: String(decoding: text, as: UTF8.self)).map { .bytes($0.rawRepresentation) } ?? .none
        }
        var connection: Int64?
        if case .integer(let code) = row[23] { connection = code }
        if case .bytes(let bytes) = row[18] {
            // Zeros stand for none in SQLite's file.
            guard let first = FirstAttempt.decode(bytes) else {
                row[18] = .none
                return Self.joined(row, device, collapse, connection)
            }
            if connection == nil { connection = Int64(first.connection.rawValue) }
        }
        return Self.joined(row, device, collapse, connection)
    }

    private static func joined(
        _ row: [CopiedValue],
        _ device: CopiedValue,
        _ collapse: CopiedValue,
        _ connection: Int64?
    ) -> [CopiedValue] {
        let isUnknown = connection.map { $0 >= Int64(Attempt.Connection.ambiguous.rawValue) } ?? false
        var row = row
        row[23] = .integer(isUnknown ? 1 : 0)
        return row + [device, collapse]
    }

    /// Smallest number: NULL among numbers.
    static let none = Int64.min

    /// Rows as columns. A column of NULLs alone is of bytes, unless `integers` has it.
    static func columns(_ rows: [[CopiedValue]], integers: Set<Int>) -> [Parameter] {
        (0..<(rows.first?.count ?? 0)).map { column in
            guard integers.contains(column) else {
                return .bytesList(
                    rows.map { row in
                        guard case .bytes(let bytes) = row[column] else { return nil }
                        return bytes
                    }
                )
            }
            return .int64s(
                rows.map { row in
                    guard case .integer(let number) = row[column] else { return none }
                    return number
                }
            )
        }
    }
}

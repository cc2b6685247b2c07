/// Tables of a store, in the order in which another engine takes them: what belongs to a row comes after it.
package enum CopiedTable: UInt8, CaseIterable, Sendable {
    case devices, attested, endpoints, records, gateway, blocks
    case entries, attempts, requests, hooks, hookDrops, fallbacks, notes

    /// Takes the position and the limit. The first column is the next position, if `isByPosition`, and no data; tenants
    /// are names.
    var select: String {
        switch self {
        case .devices:
            """
            SELECT place, tenant.name, device.id, topic, environment, token, fingerprint, coalesce(quarantine, 0),
                voip_token, voip_fingerprint, coalesce(voip_quarantine, 0), extra_tokens, language, region,
                app_version, registered, seen, reached, key.hash, coalesce(key.created, 0), bundle.bytes
            FROM device JOIN tenant ON tenant.id = device.tenant
            LEFT JOIN endpoint AS key ON key.device = device.place AND key.kind = 0
            LEFT JOIN bundle ON bundle.number = device.bundle AND bundle.device = device.place
            WHERE place > ? ORDER BY place LIMIT ?
            """
        case .attested:
            """
            SELECT attested.device, tenant.name, device.id, key_id, public_key, counter, challenged
            FROM attested JOIN device ON device.place = attested.device JOIN tenant ON tenant.id = device.tenant
            WHERE attested.device > ? ORDER BY attested.device LIMIT ?
            """
        case .endpoints:
            """
            SELECT 0, tenant.name, device.id, hash, created, vapid, accepted, refused, coalesce(expiry, -1)
            FROM endpoint JOIN device ON device.place = endpoint.device JOIN tenant ON tenant.id = device.tenant
            WHERE kind = 1 ORDER BY hash LIMIT ?2 OFFSET ?1
            """
        case .records:
            """
            SELECT record.id, name, endpoint, record.expiry, bytes FROM record JOIN endpoint ON endpoint.hash = record.endpoint
            WHERE record.id > ? AND kind = 1 ORDER BY record.id LIMIT ?
            """
        case .gateway:
            """
            SELECT 0, tenant.name, topic, environment, devices, accepted, refused
            FROM gateway JOIN tenant ON tenant.id = gateway.tenant ORDER BY tenant.id, topic, environment
            LIMIT ?2 OFFSET ?1
            """
        case .blocks:
            """
            SELECT 0, tenant.name, endpoint_block.id, created FROM endpoint_block
            JOIN tenant ON tenant.id = endpoint_block.tenant ORDER BY tenant.id, endpoint_block.id LIMIT ?2 OFFSET ?1
            """
        case .entries:
            """
            SELECT entry.id, entry.id, tenant.name, entry.lane, entry.state, reason, attempts, attempt_limit, entry.due,
                entry.deadline, created, changed, maybe_duplicate, receipt, apns_id, trace, header, checksum,
                replayed_as, first_attempt, receipt_hash, fallback_after, coalesce(reported, 0), payload.bytes,
                (SELECT connection FROM attempt WHERE attempt.entry = entry.id AND ordinal = attempts),
                coalesce(waiting.tried, 0)
            FROM entry JOIN tenant ON tenant.id = entry.tenant LEFT JOIN watch ON watch.entry = entry.id
            LEFT JOIN payload ON payload.entry = entry.id LEFT JOIN waiting ON waiting.entry = entry.id
            WHERE entry.id > ? ORDER BY entry.id LIMIT ?
            """
        case .attempts:
            """
            SELECT entry - 1, entry, ordinal, time, connection, status, reason, unique_id FROM attempt
            WHERE entry > ? ORDER BY entry, ordinal LIMIT ?
            """
        case .requests:
            """
            SELECT 0, tenant.name, key, digest, created, entries, rejected, places FROM request
            JOIN tenant ON tenant.id = request.tenant ORDER BY request.tenant, key LIMIT ?2 OFFSET ?1
            """
        case .hooks:
            """
            SELECT hook.id, hook.id, tenant.name, entry, kind, detail, created, due, attempts
            FROM hook JOIN tenant ON tenant.id = hook.tenant WHERE hook.id > ? ORDER BY hook.id LIMIT ?
            """
        case .hookDrops:
            """
            SELECT hook_tally.tenant, tenant.name, dropped FROM hook_tally JOIN tenant ON tenant.id = hook_tally.tenant
            WHERE hook_tally.tenant > ? ORDER BY hook_tally.tenant LIMIT ?
            """
        case .fallbacks:
            """
            SELECT entry, entry, tenant.name, state, due, tried FROM fallback JOIN tenant ON tenant.id = fallback.tenant
            WHERE entry > ? ORDER BY entry LIMIT ?
            """
        case .notes: "SELECT id, name, bytes FROM note WHERE id > ? ORDER BY id LIMIT ?"
        }
    }

    /// False for tables whose rows are counted.
    var isByPosition: Bool {
        switch self {
        case .endpoints, .gateway, .blocks, .requests: false
        default: true
        }
    }
}

/// Rows of one table, and the position after them.
package struct CopiedRows: Sendable {
    package let rows: [[CopiedValue]]
    /// nil at the table's end.
    package let next: Int64?
}

extension SQLiteStore {
    /// Reads rows for another engine. Nothing may be written meanwhile.
    ///
    /// - Parameter position: 0 at first.
    /// - Returns: rows without their first column.
    package func copy(
        _ table: CopiedTable,
        after position: Int64,
        limit: Int
    ) async throws(StoreError) -> CopiedRows {
        try await read { reader throws(StoreError) in
            let found = try reader.sql(table.select).all([.integer(position), .integer(Int64(limit))]) { row in
                row.values
            }
            var next: Int64?
            if found.count == limit {
                next = table.isByPosition ? found.last.flatMap { Self.position($0[0]) } : position + Int64(limit)
            }
            return CopiedRows(rows: found.map { Array($0.dropFirst()) }, next: next)
        }
    }

    private static func position(_ value: CopiedValue) -> Int64? {
        guard case .integer(let number) = value else { return nil }
        return number
    }

    /// 16 bytes that were made with the file.
    package func identity() async throws(StoreError) -> [UInt8] {
        try await read { reader throws(StoreError) in
            let select = "SELECT value FROM meta WHERE name = '\(DeviceSlots.keyName)'"
            guard let key = try reader.sql(select).first([], { $0.bytes(0) }) else { throw .damaged }
            return key
        }
    }
}

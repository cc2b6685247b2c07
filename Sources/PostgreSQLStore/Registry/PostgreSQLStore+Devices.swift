package import APNS
package import Envelope
internal import PostgreSQL
internal import Primitives
package import PushStore

/// Devices. Any relay may change one, so each call reads, decides, and writes if the rows are as it has read them.
extension PostgreSQLStore: DeviceRegistry {
    package func put(
        _ registrations: [Device.Registration],
        now: Timestamp
    ) async throws(StoreError) -> [PutResult] {
        for registration in registrations { try registration.check() }
        var results: [PutResult] = registrations.map { _ in .unchanged }
        for turn in Self.turns(registrations.map(\.key)) {
            let found = try await put(once: turn.map { registrations[$0] }, now: now)
            for (index, result) in zip(turn, found) { results[index] = result }
        }
        return results
    }

    private func put(
        once registrations: [Device.Registration],
        now: Timestamp
    ) async throws(StoreError) -> [PutResult] {
        try await untilUnchanged { () async throws(StoreError) in
            let found = try await find(registrations.map(\.key), withBundles: true)
            var write = DeviceWrite()
            var results: [PutResult] = []
            for (registration, found) in zip(registrations, found) {
                results.append(prepare(registration, over: found, now: now, &write))
            }
            guard !write.isEmpty else { return results }
            return try await store(write) ? results : nil
        }
    }

    func prepare(
        _ registration: Device.Registration,
        over found: FoundDevice?,
        now: Timestamp,
        _ write: inout DeviceWrite
    ) -> PutResult {
        let stored = found?.registration
        let change = stored?.change(registration, vault: vault, now: now, step: settings.sightingStep) ?? .address
        switch change {
        case .nothing: return .unchanged
        case .sighting:
            guard var stored else { return .unchanged }
            stored.see(now: now)
            write.update(stored, over: found)
            return .seen
        case .content, .address:
            var random = SystemRandom()
            let row = RegistrationRow(registration, over: stored, change, vault: vault, now: now, random: &random)
            write.put(row, over: found)
            return found == nil ? .created : .changed
        }
    }

    @discardableResult
    package func devices(_ keys: [DeviceKey], completion: @escaping StoreCompletion<[DeviceLookup]>) -> StoreCall {
        Self.start(completion) { [self] () async throws(StoreError) in
            try await find(keys).map { found in
                guard let found else { return .missing }
                return found.registration?.row.device(vault).map { .found($0) } ?? .damaged
            }
        }
    }

    package func bundles(of keys: [DeviceKey]) async throws(StoreError) -> [[UInt8]?] {
        try await read(DeviceTable.selectBundles, DeviceTable.columns(keys)) { result throws(PostgreSQLError) in
            try DeviceTable.inOrder(result.rows, of: keys) { row, _ throws(PostgreSQLError) in try row.bytes(1) }
        }
    }

    private static let selectByToken: Statement = """
        SELECT id FROM sealedpush.device WHERE tenant = $1 AND fingerprint = $2
        UNION SELECT id FROM sealedpush.device WHERE tenant = $1 AND voip_fingerprint = $2 ORDER BY id
        """

    package func devices(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) async throws(StoreError) -> [DeviceKey] {
        let fingerprint = vault.fingerprint(token, environment, tenant)
        let ids = try await read(Self.selectByToken, [.bytes(tenant.bytes), .bytes(fingerprint)]) {
            result throws(PostgreSQLError) in
            try result.rows.map { row throws(PostgreSQLError) in try row.bytes(0) }
        }
        // Drops ids that are damaged.
        return ids.compactMap { try? DeviceID(bytes: $0) }.map { DeviceKey(tenant: tenant, device: $0) }
    }

    package func devices(
        tenant: TenantID,
        after cursor: Cursor?,
        limit: Int
    ) async throws(StoreError) -> Page<Device> {
        let limit = Page<Device>.clamped(limit)
        var after: (shard: Int64, id: [UInt8]) = (-1, [])
        if let cursor {
            let position = try cursors.open(cursor, of: .devices, tenant: tenant)
            guard let shard = position.first else { throw .invalidCursor }
            after = (Int64(shard), Array(position.dropFirst()))
        }
        let parameters: [Parameter] = [
            .bytes(tenant.bytes), .int64(after.shard), .bytes(after.id), .int64(Int64(limit)),
        ]
        let rows = try await read(DeviceTable.selectPage, parameters) { result throws(PostgreSQLError) in
            try result.rows.map { row throws(PostgreSQLError) in
                let id = try row.bytes(DeviceTable.idColumn)
                let key = (try? DeviceID(bytes: id)).map { DeviceKey(tenant: tenant, device: $0) }
                let found = try key.map { key throws(PostgreSQLError) in try DeviceTable.read(row, key: key) }
                return (position: [UInt8(clamping: try row.int64(0))] + id, found: found)
            }
        }
        let last = rows.count == limit ? rows.last?.position : nil
        return Page(
            elements: rows.compactMap { $0.found?.registration?.row.device(vault) },
            next: last.map { cursors.seal($0, of: .devices, tenant: tenant) }
        )
    }

    package func delete(_ keys: [DeviceKey]) async throws(StoreError) -> [Bool] {
        var results = keys.map { _ in false }
        for turn in Self.turns(keys) {
            let wereThere = try await untilUnchanged { () async throws(StoreError) -> [Bool]? in
                let keys = turn.map { keys[$0] }
                let found = try await find(keys)
                var write = DeviceWrite()
                for (key, found) in zip(keys, found) { if let found { write.delete(key, found) } }
                return try await store(write) ? found.map { $0 != nil } : nil
            }
            for (index, wasThere) in zip(turn, wereThere) { results[index] = wasThere }
        }
        return results
    }

    package func unregister(_ unregistrations: [Unregistration]) async throws(StoreError) -> [UnregisterResult] {
        var results: [UnregisterResult] = unregistrations.map { _ in .unknown }
        for turn in Self.turns(unregistrations.map(\.key)) {
            let found = try await unregister(once: turn.map { unregistrations[$0] })
            for (index, result) in zip(turn, found) { results[index] = result }
        }
        return results
    }

    private func unregister(once unregistrations: [Unregistration]) async throws(StoreError) -> [UnregisterResult] {
        try await untilUnchanged { () async throws(StoreError) in
            let found = try await find(unregistrations.map(\.key))
            var write = DeviceWrite()
            var random = SystemRandom()
            var results: [UnregisterResult] = []
            for (unregistration, found) in zip(unregistrations, found) {
                guard let found, let stored = found.registration else {
                    results.append(.unknown)
                    continue
                }
                let step = settings.sightingStep
                let (result, effect) = stored.unregister(unregistration, vault: vault, step: step, random: &random)
                results.append(result)
                switch effect {
                case .nothing: break
                case .deletion: write.delete(unregistration.key, found)
                case .change(let row): write.update(row, over: found)
                }
            }
            return try await store(write) ? results : nil
        }
    }

    private static let reach: Statement = """
        UPDATE sealedpush.device SET reached = true, revision = $3
        FROM unnest($1, $2) AS given (tenant, fingerprint)
        WHERE device.tenant = given.tenant AND device.fingerprint = given.fingerprint AND NOT reached
        """

    package func markReached(_ tokens: [ReachedToken]) async throws(StoreError) {
        let marks = Set(tokens)
        let fingerprints = marks.map { vault.fingerprint($0.token, $0.environment, $0.tenant) }
        _ = try await untilUnchanged { () async throws(StoreError) in
            var batch = Batch(writes: true)
            batch.add(
                Self.reach,
                .bytesList(marks.map(\.tenant.bytes)),
                .bytesList(fingerprints),
                .int64(.random(in: 1...(.max)))
            )
            return try await runUnlessChanged(batch)
        }
    }

    private static let setAside: Statement = """
        UPDATE sealedpush.device SET quarantine = $3, revision = $4 WHERE tenant = $1 AND fingerprint = $2
        """
    private static let setAsideForCalls: Statement = """
        UPDATE sealedpush.device SET voip_quarantine = $3, revision = $4 WHERE tenant = $1 AND voip_fingerprint = $2
        """

    package func quarantine(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) async throws(StoreError) -> Int {
        let parameters: [Parameter] = [
            .bytes(tenant.bytes), .bytes(vault.fingerprint(token, environment, tenant)),
            .int64(Int64(Quarantine.badToken.rawValue)), .int64(.random(in: 1...(.max))),
        ]
        return try await untilUnchanged { () async throws(StoreError) in
            var batch = Batch(writes: true)
            batch.add(Self.setAside, parameters)
            batch.add(Self.setAsideForCalls, parameters)
            return try await runUnlessChanged(batch)?.reduce(0) { $0 + $1.changedCount }
        }
    }

    // MARK: Steps

    func find(_ keys: [DeviceKey], withBundles: Bool = false) async throws(StoreError) -> [FoundDevice?] {
        guard !keys.isEmpty else { return [] }
        let select = withBundles ? DeviceTable.selectWithBundles : DeviceTable.select
        return try await read(select, DeviceTable.columns(keys)) { result throws(PostgreSQLError) in
            try DeviceTable.inOrder(
                result.rows,
                of: keys,
                withBundles ? DeviceTable.readWithBundle : DeviceTable.read
            )
        }
    }

    /// - Returns: false if a row has changed since it was read; then nothing is stored.
    private func store(_ write: DeviceWrite) async throws(StoreError) -> Bool {
        guard !write.isEmpty else { return true }
        var batch = Batch(writes: true)
        write.add(to: &batch)
        return try await runUnlessChanged(batch) != nil
    }

    /// Groups indices so that each has a key once: a statement changes a row once. In the order of keys, in which
    /// statements lock rows.
    static func turns(_ keys: [DeviceKey]) -> [[Int]] {
        var counts: [DeviceKey: Int] = [:]
        var turns: [[Int]] = []
        for (index, key) in keys.enumerated() {
            let turn = counts[key, default: 0]
            counts[key] = turn + 1
            if turn == turns.count { turns.append([]) }
            turns[turn].append(index)
        }
        return turns.map { $0.sorted { keys[$0].precedes(keys[$1]) } }
    }
}

extension DeviceKey {
    /// Order of the table's primary key.
    fileprivate func precedes(_ other: DeviceKey) -> Bool {
        if tenant != other.tenant { return tenant.bytes.lexicographicallyPrecedes(other.tenant.bytes) }
        if shard != other.shard { return shard.index < other.shard.index }
        return device.bytes.lexicographicallyPrecedes(other.device.bytes)
    }
}

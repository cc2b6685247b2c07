internal import APNS
package import Envelope
internal import PostgreSQL
package import PushStore

/// Devices that enrol without their tenant's back end.
extension PostgreSQLStore {
    private static let selectEnrolled: Statement = """
        SELECT enrolled FROM sealedpush.device WHERE tenant = $1 AND shard = $2 AND id = $3
        """
    private static let selectOtherKeyOwner: Statement = """
        SELECT FROM sealedpush.device WHERE endpoint_key = $4 AND (tenant, shard, id) <> ($1, $2, $3)
        """
    private static let selectAttested: Statement = """
        SELECT key_id, public_key, counter, challenged FROM sealedpush.attested
        WHERE tenant = $1 AND shard = $2 AND id = $3
        """
    private static let selectOtherAttested: Statement = """
        SELECT FROM sealedpush.attested WHERE key_id = $4 AND (tenant, shard, id) <> ($1, $2, $3)
        """
    private static let selectCount: Statement = """
        SELECT devices FROM sealedpush.gateway WHERE tenant = $1 AND topic = $2 AND environment = $3
        """

    /// Registers the device and its endpoint key together, or nothing.
    package func enrol(_ enrolment: Enrolment, now: Timestamp) async throws(StoreError) -> EnrolmentResult {
        try enrolment.registration.check()
        return try await untilUnchanged { () async throws(StoreError) -> EnrolmentResult? in
            let (found, standing) = try await standing(before: enrolment)
            if let refusal = standing.refusal(of: enrolment) { return refusal }
            var write = DeviceWrite()
            let result = prepare(enrolment.registration, over: found, now: now, &write)
            var batch = Batch(writes: true)
            write.add(to: &batch)
            if !standing.isEnrolled {
                let revision = write.isEmpty ? found?.revision ?? 0 : write.revision
                addEnrolment(enrolment, over: revision, now: now, to: &batch)
            }
            if let attestation = enrolment.attestation {
                addAttestation(attestation, of: enrolment.registration.key, to: &batch)
            }
            guard !batch.isEmpty else { return .enrolled(result) }
            return try await runUnlessChanged(batch).map { _ in .enrolled(result) }
        }
    }

    private func standing(
        before enrolment: Enrolment
    ) async throws(StoreError) -> (found: FoundDevice?, standing: EnrolmentStanding) {
        let registration = enrolment.registration
        let key = DeviceTable.key(registration.key)
        var batch = Batch(writes: false)
        batch.add(DeviceTable.selectWithBundles, DeviceTable.columns([registration.key]))
        batch.add(Self.selectOtherKeyOwner, key + [.bytes(enrolment.keyHash)])
        batch.add(Self.selectEnrolled, key)
        batch.add(Self.selectCount, Self.app(registration))
        batch.add(Self.selectAttested, key)
        if case .first(let attested) = enrolment.attestation {
            batch.add(Self.selectOtherAttested, key + [.bytes(attested.id)])
        }
        return try await read(batch) { results throws(PostgreSQLError) in
            let found = try DeviceTable.inOrder(
                results[0].rows,
                of: [registration.key],
                DeviceTable.readWithBundle
            )[0]
            var standing = EnrolmentStanding()
            standing.isKeyTaken = results[1].rowCount > 0
            if let row = found?.registration?.row {
                standing.isSameApp = row.topic == registration.topic && row.environment == registration.environment
            }
            standing.isEnrolled =
                try results[2].rows.first.map { row throws(PostgreSQLError) in
                    try row.int64(0) > 0
                } ?? false
            standing.enrolledCount =
                try results[3].rows.first.map { row throws(PostgreSQLError) in
                    Int(clamping: try row.int64(0))
                } ?? 0
            standing.attestedKey = try results[4].rows.first.map(Self.attestedKey)
            standing.isAttestedKeyTaken = results.count > 5 && results[5].rowCount > 0
            return (found, standing)
        }
    }

    private static func app(_ registration: Device.Registration) -> [Parameter] {
        [
            .bytes(registration.key.tenant.bytes), .bytes(registration.topic.bytes),
            .int64(Int64(registration.environment.code)),
        ]
    }

    private static let enrol: Statement = """
        WITH made AS (
            UPDATE sealedpush.device SET endpoint_key = $4, enrolled = $5, revision = $6
            WHERE tenant = $1 AND shard = $2 AND id = $3 AND revision = $7 RETURNING 1
        )
        SELECT sealedpush.require(count(*) = 1)::text FROM made
        """
    /// After the device, as everywhere.
    private static let count: Statement = """
        WITH made AS (
            INSERT INTO sealedpush.gateway (tenant, topic, environment, devices, accepted, refused)
            VALUES ($1, $2, $3, 1, 0, 0)
            ON CONFLICT (tenant, topic, environment) DO UPDATE SET devices = gateway.devices + 1
            WHERE gateway.devices < $4 RETURNING 1
        )
        SELECT sealedpush.require(count(*) = 1)::text FROM made
        """

    private func addEnrolment(
        _ enrolment: Enrolment,
        over revision: Int64,
        now: Timestamp,
        to batch: inout Batch
    ) {
        batch.add(
            Self.enrol,
            DeviceTable.key(enrolment.registration.key) + [
                .bytes(enrolment.keyHash), .int64(max(1, now.number)), .int64(.random(in: 1...(.max))),
                .int64(revision),
            ]
        )
        batch.add(Self.count, Self.app(enrolment.registration) + [.int64(Int64(enrolment.deviceCountMax))])
    }

    private static let insertAttested: Statement = """
        WITH made AS (
            INSERT INTO sealedpush.attested (tenant, shard, id, key_id, public_key, counter, challenged)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (tenant, shard, id) DO UPDATE SET key_id = excluded.key_id,
                public_key = excluded.public_key, counter = excluded.counter, challenged = excluded.challenged
            WHERE attested.challenged < excluded.challenged RETURNING 1
        )
        SELECT sealedpush.require(count(*) = 1)::text FROM made
        """
    private static let updateAttested: Statement = """
        WITH made AS (
            UPDATE sealedpush.attested SET counter = $5, challenged = $6
            WHERE tenant = $1 AND shard = $2 AND id = $3 AND key_id = $4 AND counter < $5 AND challenged < $6
            RETURNING 1
        )
        SELECT sealedpush.require(count(*) = 1)::text FROM made
        """

    private func addAttestation(
        _ attestation: Enrolment.Attestation,
        of device: DeviceKey,
        to batch: inout Batch
    ) {
        switch attestation {
        case .first(let key):
            batch.add(
                Self.insertAttested,
                DeviceTable.key(device) + [
                    .bytes(key.id), .bytes(key.publicKey), .int64(Int64(key.counter)),
                    .int64(key.challenged.number),
                ]
            )
        case .again(let keyID, let counter, let challenged):
            batch.add(
                Self.updateAttested,
                DeviceTable.key(device) + [.bytes(keyID), .int64(Int64(counter)), .int64(challenged.number)]
            )
        }
    }

    /// - Returns: the device's key of App Attest; nil without one.
    package func attestedKey(of device: DeviceKey) async throws(StoreError) -> AttestedKey? {
        try await read(Self.selectAttested, DeviceTable.key(device)) { result throws(PostgreSQLError) in
            try result.rows.first.map(Self.attestedKey)
        }
    }

    private static func attestedKey(_ row: Row) throws(PostgreSQLError) -> AttestedKey {
        AttestedKey(
            id: try row.bytes(0),
            publicKey: try row.bytes(1),
            counter: UInt32(clamping: try row.int64(2)),
            challenged: Timestamp(column: try row.int64(3))
        )
    }
}

internal import APNS
internal import Envelope

extension StoreWriter {
    /// Checks all before it writes anything.
    func enrol(_ enrolment: Enrolment, now: Timestamp) throws(StoreError) -> EnrolmentResult {
        let registration = enrolment.registration
        let standing = try standing(before: enrolment, at: try place(of: registration.key))
        if let refusal = standing.refusal(of: enrolment) { return refusal }
        let isNew = !standing.isEnrolled
        touchesRegistry = true
        let result = try put(registration, now: now)
        guard let place = try self.place(of: registration.key) else { throw .damaged }
        if isNew {
            try replaceKey(enrolment.keyHash, at: place, enrolled: now)
            try sql(
                """
                INSERT INTO gateway (tenant, topic, environment, devices, accepted, refused)
                SELECT tenant, topic, environment, 1, 0, 0 FROM device WHERE place = ?
                ON CONFLICT (tenant, topic, environment) DO UPDATE SET devices = devices + 1
                """
            ).run([.integer(place)])
        }
        if let attestation = enrolment.attestation { try note(attestation, at: place) }
        return .enrolled(result)
    }

    /// Takes an enrolled device from its app's count, before its endpoint key or its row goes.
    func endEnrolment(at place: Int64) throws(StoreError) {
        guard try isEnrolled(place) else { return }
        try sql(
            """
            UPDATE gateway SET devices = max(0, devices - 1)
            WHERE (tenant, topic, environment) = (SELECT tenant, topic, environment FROM device WHERE place = ?)
            """
        ).run([.integer(place)])
        try sql("DELETE FROM attested WHERE device = ?").run([.integer(place)])
    }

    private func standing(before enrolment: Enrolment, at place: Int64?) throws(StoreError) -> EnrolmentStanding {
        var standing = EnrolmentStanding()
        standing.isKeyTaken = try !isFree(enrolment.keyHash, for: place)
        standing.isSameApp = try isSameApp(enrolment.registration, at: place)
        standing.isEnrolled = try isEnrolled(place)
        standing.enrolledCount = try enrolledCount(enrolment.registration)
        standing.attestedKey = try place.flatMap { place throws(StoreError) in
            try sql(AttestedKey.select).first([.integer(place)], AttestedKey.init)
        }
        if case .first(let key) = enrolment.attestation {
            let owner = try sql("SELECT device FROM attested WHERE key_id = ?").first([.bytes(key.id)]) {
                $0.integer(0)
            }
            standing.isAttestedKeyTaken = owner != nil && owner != place
        }
        return standing
    }

    private func isEnrolled(_ place: Int64?) throws(StoreError) -> Bool {
        guard let place else { return false }
        return try sql("SELECT 1 FROM endpoint WHERE device = ? AND kind = ? AND created > 0").first([
            .integer(place), .integer(EndpointKind.key.rawValue),
        ]) { _ in true } ?? false
    }

    private func isFree(_ keyHash: [UInt8], for place: Int64?) throws(StoreError) -> Bool {
        let owner = try sql("SELECT device FROM endpoint WHERE hash = ?").first([.bytes(keyHash)]) { $0.integer(0) }
        return owner == nil || owner == place
    }

    /// A device keeps its app, whose count it is in.
    private func isSameApp(_ registration: Device.Registration, at place: Int64?) throws(StoreError) -> Bool {
        guard let place else { return true }
        let isSame = try sql("SELECT topic = ? AND environment = ? FROM device WHERE place = ?").first([
            .bytes(registration.topic.bytes), .integer(Int64(registration.environment.code)), .integer(place),
        ]) { $0.integer(0) == 1 }
        return isSame ?? true
    }

    private func enrolledCount(_ registration: Device.Registration) throws(StoreError) -> Int {
        guard let tenant = try tenants.number(registration.key.tenant) else { return 0 }
        let count = try sql("SELECT devices FROM gateway WHERE tenant = ? AND topic = ? AND environment = ?").first([
            .integer(tenant), .bytes(registration.topic.bytes), .integer(Int64(registration.environment.code)),
        ]) { $0.integer(0) }
        return Int(clamping: count ?? 0)
    }

    private func note(_ attestation: Enrolment.Attestation, at place: Int64) throws(StoreError) {
        switch attestation {
        case .first(let key):
            try sql(
                """
                INSERT INTO attested (device, key_id, public_key, counter, challenged) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (device) DO UPDATE SET key_id = excluded.key_id, public_key = excluded.public_key,
                    counter = excluded.counter, challenged = excluded.challenged
                """
            ).run([
                .integer(place), .bytes(key.id), .bytes(key.publicKey), .integer(Int64(key.counter)),
                key.challenged.column,
            ])
        case .again(_, let counter, let challenged):
            try sql("UPDATE attested SET counter = ?, challenged = ? WHERE device = ?").run([
                .integer(Int64(counter)), challenged.column, .integer(place),
            ])
        }
    }
}

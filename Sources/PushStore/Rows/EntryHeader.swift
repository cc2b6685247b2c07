package import APNS
package import Envelope

/// Entry's immutable part, in the column `header`: version, LP(device), LP(topic), LP(collapse id or nothing), LP(push
/// type), priority or 0, 0 or 1 and eight bytes of expiration; in versions 2 and 4 trace context, in 3 and 4 the
/// token's purpose: kind and LP(name).
package enum EntryHeader {
    private static let versions: ClosedRange<UInt8> = 1...4
    private static let traceContextFlag: UInt8 = 1
    private static let purposeFlag: UInt8 = 2
    private static let fixedByteCount = 15

    package struct Fields {
        package let device: DeviceID
        package let topic: Topic
        package let collapseID: CollapseID?
        package let pushType: PushType
        package let priority: Priority?
        package let expiration: Expiration?
        package let traceContext: TraceContext?
        package let purpose: TokenPurpose?
    }

    package static func encode(_ entry: NewEntry) -> [UInt8] {
        let collapseID = entry.collapseID?.bytes ?? []
        let pushType = entry.pushType.headerValue
        let fieldByteCount = entry.device.bytes.count + entry.topic.bytes.count + collapseID.count + pushType.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(fixedByteCount + fieldByteCount)
        let traceContext = entry.traceContext == nil ? 0 : traceContextFlag
        let purpose = entry.purpose == nil ? 0 : purposeFlag
        bytes.append(versions.lowerBound + traceContext + purpose)
        bytes.append(lengthPrefixed: entry.device.bytes)
        bytes.append(lengthPrefixed: entry.topic.bytes)
        bytes.append(lengthPrefixed: collapseID)
        bytes.append(lengthPrefixed: pushType)
        bytes.append(entry.priority?.rawValue ?? 0)
        bytes.append(entry.expiration == nil ? 0 : 1)
        bytes.append(word: entry.expiration?.unixSeconds ?? 0)
        entry.traceContext?.append(to: &bytes)
        entry.purpose?.append(to: &bytes)
        return bytes
    }

    /// - Returns: nil for malformed bytes.
    package static func decode(_ bytes: [UInt8]) -> Fields? {
        var reader = ByteReader(bytes[...])
        guard let version = reader.take(UInt8.self), versions.contains(version),
            let device = reader.takeLengthPrefixed(), let topic = reader.takeLengthPrefixed(),
            let collapseID = reader.takeLengthPrefixed(),
            let pushType = reader.takeLengthPrefixed(), let priority = reader.take(UInt8.self),
            let hasExpiration = reader.take(UInt8.self), hasExpiration <= 1,
            let seconds = reader.take(UInt64.self),
            // Damage can make a field invalid.
            let deviceID = try? DeviceID(bytes: device), let checkedTopic = try? Topic(bytes: topic.span),
            let type = PushType(headerValue: pushType.span)
        else { return nil }
        let collapse = try? CollapseID(bytes: collapseID)
        let known = Priority(rawValue: priority)
        let flags = version - versions.lowerBound
        let traceContext = flags & traceContextFlag == 0 ? nil : TraceContext(&reader)
        let purpose = flags & purposeFlag == 0 ? nil : TokenPurpose(&reader)
        guard (traceContext == nil) == (flags & traceContextFlag == 0), (purpose == nil) == (flags & purposeFlag == 0),
            reader.remainingByteCount == 0, collapse != nil || collapseID.isEmpty, known != nil || priority == 0
        else { return nil }
        return Fields(
            device: deviceID,
            topic: checkedTopic,
            collapseID: collapse,
            pushType: type,
            priority: known,
            expiration: hasExpiration == 1 ? Expiration(unixSeconds: seconds) : nil,
            traceContext: traceContext,
            purpose: purpose
        )
    }

    /// Covers everything immutable.
    package static func checksum(apnsID: [UInt8], header: [UInt8], payload: [UInt8]) -> Int64 {
        var sum = Checksum()
        sum.add(apnsID)
        sum.add(header)
        sum.add(payload)
        return Int64(bitPattern: sum.value)
    }
}

extension [UInt8] {
    /// Appends eight bytes, big-endian. `append(bigEndian:)` is generic and slow from another module.
    mutating func append(word: UInt64) {
        for shift: UInt64 in [56, 48, 40, 32, 24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
}

extension Timestamp {
    /// Clamped to the column's range.
    var column: SQLiteValue { .integer(number) }
    package var number: Int64 { Int64(clamping: milliseconds) }

    package init(column: Int64) { self.init(milliseconds: UInt64(clamping: column)) }
}

struct EntryRow {
    static let columns = """
        entry.id, tenant, lane, state, reason, attempts, attempt_limit, due, deadline, created, changed, maybe_duplicate, \
        receipt, apns_id, trace, header, checksum, replayed_as
        """
    static let columnCount: Int32 = 18

    let entry: OutboxEntry
    let tenant: Int64
    let apnsID: [UInt8]
    let header: [UInt8]
    let checksum: Int64

    /// - Returns: nil for a damaged row.
    init?(_ row: SQLiteRow, _ tenants: TenantTable) throws(StoreError) {
        let apnsID = row.bytes(13)
        let header = row.bytes(15)
        checksum = row.integer(16)
        let trace = row.optionalText(14)
        let knownTrace = trace.flatMap { Trace(text: $0) }
        let stateCode = row.integer(3)
        let reason = row.optionalInteger(4)
        tenant = row.integer(1)
        guard let id = EntryID(value: row.integer(0)), let tenant = try tenants.name(self.tenant),
            let lane = UInt8(exactly: row.integer(2)).flatMap(Lane.init),
            let state = EntryState(code: stateCode, reason: reason),
            row.isCount(5), apnsID.count == 16, (knownTrace == nil) == (trace == nil),
            let fields = EntryHeader.decode(header)
        else { return nil }
        self.apnsID = apnsID
        self.header = header
        entry = OutboxEntry(
            id: id,
            tenant: tenant,
            device: fields.device,
            topic: fields.topic,
            apnsID: APNSID(bytes: apnsID.span),
            collapseID: fields.collapseID,
            lane: lane,
            pushType: fields.pushType,
            priority: fields.priority,
            expiration: fields.expiration,
            deadline: Timestamp(column: row.integer(8)),
            attemptLimit: row.optionalInteger(6).map { Int(clamping: $0) },
            trace: knownTrace,
            traceContext: fields.traceContext,
            state: state,
            created: Timestamp(column: row.integer(9)),
            changed: Timestamp(column: row.integer(10)),
            due: Timestamp(column: row.integer(7)),
            attemptCount: Int(clamping: row.integer(5)),
            maybeDuplicate: row.integer(11) != 0,
            receipt: row.optionalInteger(12).map { Timestamp(column: $0) },
            replayedAs: row.optionalInteger(17).flatMap(EntryID.init),
            waitCause: state.isWaiting ? reason.flatMap { UInt8(exactly: $0) }.flatMap(WaitCause.init) : nil,
            purpose: fields.purpose
        )
    }

    /// Verifies the checksum.
    func isWhole(payload: [UInt8]) -> Bool {
        EntryHeader.checksum(apnsID: apnsID, header: header, payload: payload) == checksum
    }
}

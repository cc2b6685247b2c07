internal import Envelope

/// Entry's first attempt, in a column of its row: most entries have only one.
///
/// Version 1, time in milliseconds (8 bytes), connection, status or 0 (2 bytes), then reason and unique id: a byte, 0
/// for none or the length plus one, and the text; then zeros. Reserved with zeros, and a byte shorter once the state's
/// number takes a byte, the row keeps its length: SQLite overwrites it in place.
package enum FirstAttempt {
    private static let version: UInt8 = 1
    /// Fits an apns-unique-id without a reason.
    static let reservedByteCount = 53

    /// - Returns: as many bytes as were reserved, or more if needed.
    package static func encode(_ attempt: Attempt, state: EntryState) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(reservedByteCount)
        bytes.append(version)
        bytes.append(word: attempt.time.milliseconds)
        bytes.append(attempt.connection.rawValue)
        let status = attempt.status ?? 0
        bytes.append(UInt8(truncatingIfNeeded: status >> 8))
        bytes.append(UInt8(truncatingIfNeeded: status))
        append(attempt.reason, to: &bytes)
        append(attempt.uniqueID, to: &bytes)
        // SQLite's numbers 0 and 1 take no byte of a row.
        let byteCount = reservedByteCount - (state.code.rawValue > 1 ? 1 : 0)
        if bytes.count < byteCount { bytes.append(contentsOf: repeatElement(0, count: byteCount - bytes.count)) }
        return bytes
    }

    /// - Returns: nil for zeros and for malformed bytes.
    package static func decode(_ bytes: [UInt8]) -> Attempt? {
        var reader = ByteReader(bytes[...])
        guard reader.take(UInt8.self) == version, let time = reader.take(UInt64.self),
            let connection = reader.take(UInt8.self), let high = reader.take(UInt8.self),
            let low = reader.take(UInt8.self), let reason = text(&reader), let uniqueID = text(&reader)
        else { return nil }
        let status = Int(high) << 8 | Int(low)
        return Attempt(
            time: Timestamp(milliseconds: time),
            // The cautious reading of a damaged row.
            connection: Attempt.Connection(rawValue: connection) ?? .ambiguous,
            status: status == 0 ? nil : status,
            reason: reason,
            uniqueID: uniqueID
        )
    }

    private static func append(_ text: String?, to bytes: inout [UInt8]) {
        guard let text else {
            bytes.append(0)
            return
        }
        bytes.append(UInt8(text.utf8.count + 1))
        bytes.append(contentsOf: text.utf8)
    }

    /// - Returns: nil for truncated bytes; an inner nil for no text.
    private static func text(_ reader: inout ByteReader) -> String?? {
        guard let length = reader.take(UInt8.self) else { return nil }
        if length == 0 { return .some(nil) }
        guard let bytes = reader.take(Int(length) - 1) else { return nil }
        return .some(String(decoding: bytes, as: UTF8.self))
    }
}

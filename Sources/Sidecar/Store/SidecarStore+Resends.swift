import Envelope
import PushStore

/// Re-send that waits for the back end's words.
struct WantedResend: Equatable, Sendable {
    let message: [UInt8]
    let device: String
    let expiresAt: Timestamp
}

extension SidecarStore {
    /// Message and device of a push; nil if none of ours, or forgotten.
    func copy(trace: Trace) throws(StoreError) -> (number: Int64, device: String, user: String?)? {
        try sql("SELECT message, device, user FROM copies WHERE trace = ?").first([.bytes(trace.rawRepresentation)]) {
            ($0.integer(0), $0.optionalText(1) ?? "", $0.optionalText(2))
        }
    }

    /// Notes that a device needs a message again, durably.
    func wantResend(of number: Int64, to device: String, now: Timestamp) throws(StoreError) {
        try transaction { () throws(StoreError) in
            _ = try sql("INSERT OR REPLACE INTO resends (message, device, at) VALUES (?, ?, ?)").run([
                .integer(number), .bytes(Array(device.utf8)), .integer(Int64(clamping: now.milliseconds)),
            ])
        }
    }

    /// Oldest 100 whose message has not expired.
    func wantedResends(now: Timestamp) throws(StoreError) -> [WantedResend] {
        let select = """
            SELECT id, device, expires_at FROM resends JOIN messages ON number = message WHERE expires_at > ?
            ORDER BY at LIMIT 100
            """
        return try sql(select).all([.integer(Int64(clamping: now.milliseconds))]) { row in
            WantedResend(
                message: row.bytes(0),
                device: row.optionalText(1) ?? "",
                expiresAt: Timestamp(milliseconds: UInt64(max(0, row.integer(2))))
            )
        }
    }
}

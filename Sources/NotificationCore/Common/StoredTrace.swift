import Envelope

// A trace in a file: 0x00 for none, or 0x01 ‖ 16 bytes.

struct StoredTrace { let value: Trace? }

extension [UInt8] {
    mutating func append(_ trace: Trace?) {
        self += trace.map { [0x01] + $0.rawRepresentation } ?? [0x00]
    }
}

extension ByteReader {
    /// - Returns: nil for other bytes.
    mutating func takeTrace() -> StoredTrace? {
        switch take(UInt8.self) {
        case 0x00: StoredTrace(value: nil)
        case 0x01: take(16).map { StoredTrace(value: Trace(bytes: $0)) }
        default: nil
        }
    }
}

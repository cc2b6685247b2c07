import Envelope
import PushStore

/// Device as the sidecar knows it.
struct PinnedDevice: Equatable, Sendable {
    /// 32 bytes, as the back end first gave it.
    let identity: [UInt8]
    let bundle: [UInt8]?
    /// Relay's name for this version; nil if it gave none.
    let tag: String?
    let fetchedAt: Timestamp
}

extension SidecarStore {
    func device(_ id: String) throws(StoreError) -> PinnedDevice? {
        let select = "SELECT identity, bundle, fetched_at, tag FROM devices WHERE device = ?"
        return try sql(select).first([.bytes(Array(id.utf8))]) { row in
            PinnedDevice(
                identity: row.bytes(0),
                bundle: row.optionalBytes(1),
                tag: row.optionalText(3),
                fetchedAt: Timestamp(milliseconds: UInt64(max(0, row.integer(2))))
            )
        }
    }

    /// Keeps identity and bundle; within a transaction.
    func keep(_ device: PinnedDevice, of id: String) throws(StoreError) {
        try sql("INSERT OR REPLACE INTO devices (device, identity, bundle, fetched_at, tag) VALUES (?, ?, ?, ?, ?)")
            .run([
                .bytes(Array(id.utf8)), .bytes(device.identity), .optional(device.bundle),
                .integer(Int64(clamping: device.fetchedAt.milliseconds)), .optional(device.tag),
            ])
    }

    /// Forgets a device's identity and bundle. The pins stay: the identity's old bundles stay refused.
    ///
    /// - Returns: false if there was none.
    func forget(_ id: String) throws(StoreError) -> Bool {
        try transaction { () throws(StoreError) in
            try sql("DELETE FROM devices WHERE device = ?").run([.bytes(Array(id.utf8))]) > 0
        }
    }
}

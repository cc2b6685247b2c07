/// Small things that outlive the process: what was used of a day's quotas, the counts of a day.
package protocol NoteBook: Sendable {
    /// - Returns: nil for what was never written.
    /// - Throws: `.byteCount(field: .noteName)`, and what a disk does.
    func note(_ name: String) async throws(StoreError) -> [UInt8]?

    /// Takes the place of what was there, whole or not at all.
    ///
    /// - Throws: `.byteCount` for a name or bytes outside `NoteLimits`, and what a disk does.
    func setNote(_ name: String, to bytes: [UInt8]) async throws(StoreError)
}

/// How large a note may be.
package enum NoteLimits {
    package static let nameByteCounts = 1...64
    package static let byteCounts = 0...65_536

    /// - Throws: `.byteCount`.
    static func check(_ name: String) throws(StoreError) {
        guard nameByteCounts.contains(name.utf8.count) else {
            throw .byteCount(field: .noteName, of: nameByteCounts)
        }
    }
}

/// What has to be done now and then.
package protocol StoreUpkeep: Sendable {
    /// Makes every earlier copy of the store one that is noticed when it is put back.
    ///
    /// - Throws: what a disk does.
    func renewStamp() async throws(StoreError)

    /// Takes out of the log what was deleted before the call.
    ///
    /// - Returns: false while another process reads by it: it is to be asked again.
    /// - Throws: what a disk does.
    func emptyLog() async throws(StoreError) -> Bool
}

/// All that the service keeps.
package typealias ServiceStore = DeviceRegistry & DurableOutbox & HookQueue & NoteBook & ReceiptBook & StoreUpkeep

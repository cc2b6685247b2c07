/// Small things that outlive the process: what was used of a day's quotas, the counts of a day.
package protocol NoteBook: Sendable {
    /// - Returns: nil for what was never written.
    func note(_ name: String) async throws(StoreError) -> [UInt8]?

    /// Takes the place of what was there.
    func setNote(_ name: String, to bytes: [UInt8]) async throws(StoreError)
}

/// All that the service keeps.
package typealias ServiceStore = DeviceRegistry & DurableOutbox & HookQueue & NoteBook & ReceiptBook

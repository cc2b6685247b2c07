import Envelope
import Keys
import Primitives

// What the extension leaves behind for the app to pass on, or to look at.
extension AppDevice {
    /// Sends what the extension could not: receipts, and requests for messages that could not be opened. Call it whenever
    /// the app runs, after the newest bundle was published: requests wait until the relay has acknowledged it, because a
    /// message would else be sealed anew to the same old prekey.
    ///
    /// The extension may send the same at the same moment; the relay counts each once.
    ///
    /// - Parameter relay: the app's.
    /// - Throws: the relay's error, or `ContainerError`; what was not sent stays.
    public func report(to relay: some Relay) async throws {
        try await container.reports.send(to: relay, from: .app)
    }

    /// How often which outcome was met since the counts were taken; nothing of what, from whom or when.
    ///
    /// - Returns: zeros where nothing was counted, or where the file was damaged.
    /// - Throws: `AppDeviceError`.
    public func outcomeCounts() throws(AppDeviceError) -> OutcomeCounts {
        try translated { () throws(ContainerError) in try container.outcomeCounters.read() }
    }

    /// The same, and begins anew.
    ///
    /// - Returns: the counts until now.
    /// - Throws: `AppDeviceError`; then they are still there.
    public func takeOutcomeCounts() throws(AppDeviceError) -> OutcomeCounts {
        try translated { () throws(ContainerError) in try container.outcomeCounters.take() }
    }

    /// Of a message that the app opened itself. Not kept, it is not sent: its absence says nothing.
    func keep(_ receipt: DeliveryReceipt, now: Timestamp) {
        var random = SystemRandom()
        do throws(ContainerError) { try container.receipts.add(receipt, now: now, random: &random) } catch { return }
    }
}

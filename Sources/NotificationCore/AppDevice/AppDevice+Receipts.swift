import Envelope
import Primitives

// What the extension leaves behind for the app to pass on, or to look at.
extension AppDevice {
    /// Receipts that nobody has sent yet: send them in one request, to the endpoint that is the app's constant, and then
    /// call `receiptsSent`. The extension may send one at the same moment; the place that takes receipts bears that.
    ///
    /// - Returns: oldest first, each once, 256 at most.
    /// - Throws: `AppDeviceError`.
    public func unsentReceipts() throws(AppDeviceError) -> [DeliveryReceipt] {
        try translated { () throws(ContainerError) in try container.receipts.all() }
    }

    /// Forgets them.
    ///
    /// - Parameter receipts: those that were taken where they belong.
    /// - Throws: `AppDeviceError`; what is left then can be sent again.
    public func receiptsSent(_ receipts: [DeliveryReceipt]) throws(AppDeviceError) {
        try translated { () throws(ContainerError) in try container.receipts.remove(receipts) }
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

import Envelope
import Keys

// Reports and counts of the extension.
extension AppDevice {
    /// Sends the extension's unsent receipts and re-send requests. Call it whenever the app runs, after publishing the
    /// newest bundle: until the relay acknowledged it, re-sends would use the same old prekey, so requests wait.
    ///
    /// The extension may send the same; the relay counts each once.
    ///
    /// - Throws: the relay's error, or `ContainerError`; unsent reports stay.
    public func report(to relay: some Relay) async throws {
        try await container.reports.send(to: relay, from: .app)
    }

    /// Counts without contents, senders or times; zeros if damaged.
    public func outcomeCounts() throws(AppDeviceError) -> OutcomeCounts {
        try translated { () throws(ContainerError) in try container.outcomeCounters.read() }
    }

    /// Resets the counts; on failure they stay.
    public func takeOutcomeCounts() throws(AppDeviceError) -> OutcomeCounts {
        try translated { () throws(ContainerError) in try container.outcomeCounters.take() }
    }
}

import Envelope
import Keys
import Opening

/// A device's reports that its relay has not taken yet.
///
/// Each is on disk before anything is shown, sent afterwards by the extension or the app, and removed once the relay has
/// taken it: so it is sent at least once, whatever ends a process in between.
package struct RelayReports: Sendable {
    package let receipts: ReceiptSpool
    package let markers: ResendMarkers
    /// Whether the relay has the newest bundle. Without it a message would be sealed anew to the same old prekey.
    let hasRelayNewestBundle: @Sendable () -> Bool

    /// A maker of requests, which differ in what they may ask for.
    package enum Sender: Sendable {
        case app
        /// It cannot publish a bundle: what a prekey that senders still use brings back is bounded.
        case `extension`
    }

    /// Sends all reports; a failure of one kind does not hold the other up.
    ///
    /// - Parameters:
    ///   - relay: where to.
    ///   - sender: app or extension.
    ///   - held: receipts that are not to be sent yet.
    ///   - now: the device's clock.
    ///   - surroundings: where the disk is waited for.
    /// - Throws: the first failure; what was not taken stays.
    func send(
        to relay: some Relay,
        from sender: Sender,
        holding held: Set<DeliveryReceipt> = [],
        now: @escaping @Sendable () -> Timestamp = { .now },
        surroundings: DeliverySurroundings = .ofThisDevice
    ) async throws {
        let receipts = await Self.result { try await sendReceipts(to: relay, holding: held, surroundings) }
        let resends = await Self.result { try await requestResends(of: relay, from: sender, now, surroundings) }
        try receipts.get()
        try resends.get()
    }

    private func sendReceipts(
        to relay: some Relay,
        holding held: Set<DeliveryReceipt>,
        _ surroundings: DeliverySurroundings
    ) async throws {
        let unsent = try await disk(surroundings) { reports throws(ContainerError) in
            try reports.receipts.all().filter { !held.contains($0) }
        }
        guard !unsent.isEmpty else { return }
        try await relay.send(unsent)
        try await disk(surroundings) { reports throws(ContainerError) in try reports.receipts.remove(unsent) }
    }

    private func requestResends(
        of relay: some Relay,
        from sender: Sender,
        _ now: @escaping @Sendable () -> Timestamp,
        _ surroundings: DeliverySurroundings
    ) async throws {
        let requests = try await disk(surroundings) { reports throws(ContainerError) in
            try reports.due(from: sender, now: now())
        }
        guard !requests.isEmpty else { return }
        try await relay.requestResends(requests)
        try await disk(surroundings) { reports throws(ContainerError) in
            try reports.markers.resendRequested(requests.map(\.trace))
        }
    }

    private func due(from sender: Sender, now: Timestamp) throws(ContainerError) -> [ResendRequest] {
        guard hasRelayNewestBundle() else { return [] }
        return try markers.pendingResends(isBounded: sender == .extension)
    }

    private func disk<Result: Sendable>(
        _ surroundings: DeliverySurroundings,
        _ body: @escaping @Sendable (RelayReports) throws(ContainerError) -> Result
    ) async throws(ContainerError) -> Result {
        let result = await surroundings.resultFromThread {
            Swift.Result { () throws(ContainerError) in try body(self) }
        }
        return try result.get()
    }

    private static func result(_ body: () async throws -> Void) async -> Result<Void, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}

extension SharedContainer {
    /// The device's reports.
    var reports: RelayReports {
        RelayReports(receipts: receipts, markers: resendMarkers) { [keyStore] in
            // A ring that cannot be read has no bundle that helps.
            do { return try KeyRing(store: keyStore).isPublished } catch { return false }
        }
    }
}

import Envelope
import Keys
import Opening

/// Reports not yet taken by the relay. Each is on disk before anything is shown, is sent by extension or app, and
/// removed once the relay took it: delivery at least once.
package struct RelayReports: Sendable {
    var account: AccountName?
    package let receipts: ReceiptSpool
    package let markers: ResendMarkers
    /// False if a re-send would use the same old prekey.
    let hasRelayNewestBundle: @Sendable () -> Bool

    /// Origin of requests.
    package enum Sender: Sendable {
        case app
        /// Bounded, as it cannot publish a bundle and senders may keep using an old prekey.
        case `extension`
    }

    /// Sends all reports; a failure of one kind does not stop the other.
    ///
    /// - Parameter held: receipts to keep for now.
    /// - Throws: the first failure; unsent reports stay.
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
    var reports: RelayReports {
        RelayReports(account: account, receipts: receipts, markers: resendMarkers) { [keyStore] in
            // An unreadable ring has no helpful bundle.
            do { return try KeyRing(store: keyStore).isPublished } catch { return false }
        }
    }
}

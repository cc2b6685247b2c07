package import Envelope

/// For engines of tests that keep nothing of this: they know no trace and no request that came before.
extension DurableOutbox {
    package func newestEntries(_ traces: [Trace]) async throws(StoreError) -> [OutboxEntry?] { traces.map { _ in nil } }

    package func known(_ idempotency: Idempotency, tenant: TenantID) async throws(StoreError) -> EnqueueResult? { nil }
}

import Envelope
import HTTP
import Networking
import Platform
import PushStore
import ServiceParts

/// `POST /v1/receipts`. Reveals nothing about the capabilities.
struct ReceiptHandler: Sendable {
    let context: ServiceContext
    let dispatch: any DispatchInterface

    func post(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let batch = try ReceiptBatch(call.json(), countMax: call.settings.limits.receiptCountMax)
        let hashes = batch.items.map(\.hash.bytes)
        let now = context.clock.now()
        let redemptions = try await context.asking { () throws(StoreError) in
            try await context.store.redeem(hashes, now: now)
        }
        let received = redemptions.compactMap { if case .received(let entry) = $0 { entry } else { nil } }
        if !received.isEmpty {
            context.metrics.withLock { metrics in
                for _ in received { metrics.didReceive() }
            }
            dispatch.didReceive(received)
        }
        return .noContent
    }
}

/// `POST /v1/resends`: reports to the tenant's webhook. Reveals nothing about the traces.
final class ResendHandler: Sendable {
    /// Bounds a stolen trace's messages to a back end.
    private static let rate = RateLimiter<Trace>.Rate(perSecond: 1.0 / 600, burst: 3)

    private final class Rates {
        var limiter = RateLimiter<Trace>(keyCountMax: 20_000)
    }

    private let context: ServiceContext
    private let rates: LoopBound<Rates>
    private let dispatch: any DispatchInterface

    init(_ context: ServiceContext, dispatch: any DispatchInterface) {
        self.context = context
        self.dispatch = dispatch
        rates = LoopBound(Rates(), to: context.loop)
    }

    func post(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let items = try ResendRequest(call.json()).items
        let found = try await context.asking { () throws(StoreError) in
            try await context.store.newestEntries(items.map(\.trace))
        }
        let uptime = context.clock.uptime()
        let rates = rates.value
        var reports: [NewHook] = []
        var reported: [OutboxEntry] = []
        for (item, entry) in zip(items, found) {
            guard let entry, call.settings.tenant(entry.tenant)?.webhook != nil,
                rates.limiter.take(of: item.trace, rate: Self.rate, now: uptime) == nil
            else { continue }
            reported.append(entry)
            reports.append(
                NewHook(tenant: entry.tenant, entry: entry.id, kind: .resendRequested, detail: item.prekeyID ?? [])
            )
        }
        let now = context.clock.now()
        if !reports.isEmpty {
            _ = try await context.asking { [reports] () throws(StoreError) in
                try await context.store.report(reports, now: now)
            }
            dispatch.didReport(reported)
        }
        return .noContent
    }
}

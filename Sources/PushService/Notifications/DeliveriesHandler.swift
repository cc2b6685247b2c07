import Envelope
import HTTP
import Networking
import PushStore

/// `GET /v1/devices/{id}/deliveries` and `/v1/devices/{id}/notifications`, one at a time for a tenant: they read
/// hundreds of times on all notifications' thread.
final class DeliveriesHandler: Sendable {
    private final class Asking {
        var tenants: Set<TenantID> = []
    }

    private static let listCountMax = 20

    private let context: ServiceContext
    private let asking: LoopBound<Asking>

    init(_ context: ServiceContext) {
        self.context = context
        asking = LoopBound(Asking(), to: context.loop)
    }

    func get(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let entries = try await entries(call, limit: DeviceDeliveries.entryCountMax + 1)
        return .json(200) { writer in
            writer.member("device", call.id)
            DeviceDeliveries(entries).write(to: &writer)
        }
    }

    func list(_ call: APICall, _ states: NotificationStateHandler) async throws(Problem) -> HTTPAnswer {
        try await states.answer(try await entries(call, limit: Self.listCountMax), call)
    }

    private func entries(_ call: APICall, limit: Int) async throws(Problem) -> [OutboxEntry] {
        let tenant = try call.tenant()
        guard asking.value.tenants.insert(tenant.id).inserted else {
            var problem = Problem(.tooManyRequests, "Query the deliveries of one device at a time.")
            problem.retryAfterSeconds = 1
            throw problem
        }
        defer { asking.value.tenants.remove(tenant.id) }
        let key = try DeviceHandler.key(call.id, tenant)
        let entries = try await context.asking { () throws(StoreError) in
            try await context.store.entries(device: key, limit: limit)
        }
        // A deleted device may still have entries.
        if entries.isEmpty { _ = try await DeviceHandler(context: context).device(call) }
        return entries
    }
}

import Envelope
import HTTP
import Networking
import PushStore

/// `GET /v1/devices/{id}/deliveries`, one at a time for a tenant: it reads hundreds of times on all notifications'
/// thread.
final class DeliveriesHandler: Sendable {
    private final class Asking {
        var tenants: Set<TenantID> = []
    }

    private let context: ServiceContext
    private let asking: LoopBound<Asking>

    init(_ context: ServiceContext) {
        self.context = context
        asking = LoopBound(Asking(), to: context.loop)
    }

    func get(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let tenant = try call.tenant()
        guard asking.value.tenants.insert(tenant.id).inserted else {
            var problem = Problem(.tooManyRequests, "Query the deliveries of one device at a time.")
            problem.retryAfterSeconds = 1
            throw problem
        }
        defer { asking.value.tenants.remove(tenant.id) }
        let key = try DeviceHandler.key(call.id, tenant)
        let entries = try await context.asking { () throws(StoreError) in
            try await context.store.entries(device: key, limit: DeviceDeliveries.entryCountMax + 1)
        }
        // A deleted device may still have entries.
        if entries.isEmpty { _ = try await DeviceHandler(context: context).device(call) }
        return .json(200) { writer in
            writer.member("device", call.id)
            DeviceDeliveries(entries).write(to: &writer)
        }
    }
}

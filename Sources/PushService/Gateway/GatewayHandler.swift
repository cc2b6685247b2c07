import APNS
import Envelope
import HTTP
import Platform
import PushStore
import ServiceParts

/// Tenant's view of servers' pushes to its apps, counts alone, and the servers that it keeps out.
struct GatewayHandler: Sendable {
    let context: ServiceContext

    /// `GET /v1/gateway`.
    func get(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let tenant = try call.tenant()
        var apps: [(app: AppConfiguration, counts: GatewayCounts, deviceCount: Int)] = []
        for app in tenant.apps where app.gateway != nil {
            let topic = try DeviceHandler.topic(app.bundleID)
            let key = GatewayApp(tenant: tenant.id, topic: topic, environment: app.environment)
            let found = try await context.asking { () throws(StoreError) in try await context.store.gatewayCounts(key) }
            apps.append((app, found.counts, found.deviceCount))
        }
        let now = context.clock.uptime()
        let busiest = context.endpointCounts.withLock { $0.busiest(of: tenant.id, now: now) }
        let blocks = context.endpointBlocks.withLock { $0.filter { $0.tenant == tenant.id } }
        return .json(200) { [apps] writer in
            writer.name("apps")
            writer.array { writer in
                for (app, counts, deviceCount) in apps {
                    writer.object { writer in
                        writer.member("topic", app.bundleID.text)
                        writer.member("environment", app.environment.rawValue)
                        writer.member("enrolled", deviceCount)
                        Self.write(counts, to: &writer)
                    }
                }
            }
            writer.name("busiest")
            writer.array { writer in
                for (endpoint, counts) in busiest {
                    writer.object { writer in
                        writer.member("id", EndpointID(endpoint.hash).text)
                        writer.member("device", endpoint.device.device.text)
                        if let server = endpoint.vapidKeyHash {
                            writer.member("server", Base64URL.string(server))
                        }
                        Self.write(counts, to: &writer)
                    }
                }
            }
            writer.name("blocks")
            writer.array { writer in
                for id in blocks.map({ Base64URL.string($0.id) }).sorted() { writer.string(id) }
            }
        }
    }

    /// `GET /v1/devices/{id}/endpoints`.
    func list(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let key = try DeviceHandler.key(call.id, try call.tenant())
        let rows = try await context.asking { () throws(StoreError) in
            try await context.store.countedEndpoints(of: key)
        }
        let (blocks, now) = (context.endpointBlocks.withLock { $0 }, context.clock.now())
        let unsaved = context.endpointCounts.withLock { counts in
            rows.map { counts.unsavedCounts(EndpointID($0.endpoint.hash)) }
        }
        return .json(200) { writer in
            writer.name("endpoints")
            writer.array { writer in
                for ((endpoint, saved), unsaved) in zip(rows, unsaved) where !endpoint.hasExpired(at: now) {
                    let id = EndpointID(endpoint.hash)
                    var counts = saved
                    counts += unsaved
                    writer.object { writer in
                        writer.member("id", id.text)
                        writer.member("created", endpoint.created.text)
                        if let expiry = endpoint.expiry { writer.member("expires", expiry.text) }
                        if let server = endpoint.vapidKeyHash { writer.member("server", Base64URL.string(server)) }
                        let names = [id.rawRepresentation, endpoint.vapidKeyHash].compactMap(\.self)
                        let isBlocked = names.contains { blocks.contains(EndpointBlock(tenant: key.tenant, id: $0)) }
                        writer.member("blocked", isBlocked)
                        Self.write(counts, to: &writer)
                    }
                }
            }
        }
    }

    /// `PUT /v1/gateway/blocks/{id}`.
    func block(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let block = try block(of: call)
        let now = context.clock.now()
        let isAdded = try await context.asking { () throws(StoreError) in
            try await context.store.add(block, now: now)
        }
        guard isAdded else {
            throw Problem(.tooManyRequests, "Remove a block first; a tenant has \(EndpointBlock.countMax) at most.")
        }
        context.endpointBlocks.withLock { _ = $0.insert(block) }
        context.audit("endpoint-block", call.grant, [("id", call.id)])
        return .noContent
    }

    /// `DELETE /v1/gateway/blocks/{id}`.
    func unblock(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let block = try block(of: call)
        let wasThere = try await context.asking { () throws(StoreError) in try await context.store.remove(block) }
        context.endpointBlocks.withLock { _ = $0.remove(block) }
        guard wasThere else { throw Problem(.notFound, "There is no such block; GET /v1/gateway lists them.") }
        context.audit("endpoint-unblock", call.grant, [("id", call.id)])
        return .noContent
    }

    private func block(of call: APICall) throws(Problem) -> EndpointBlock {
        let tenant = try call.tenant().id
        let bytes = Base64URL.decode(Array(call.id.utf8))
        guard let bytes, bytes.count == EndpointID.byteCount || bytes.count == PushEndpoint.hashByteCount else {
            throw Problem(
                .notFound,
                "Name an endpoint by its 'id', or a server's VAPID key by its 'server', as GET /v1/gateway shows them."
            )
        }
        return EndpointBlock(tenant: tenant, id: bytes)
    }

    private static func write(_ counts: GatewayCounts, to writer: inout JSONWriter) {
        writer.member("accepted", counts.accepted)
        writer.member("refused", counts.refused)
    }
}

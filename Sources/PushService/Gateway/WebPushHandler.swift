import APNS
import Envelope
import HTTP
import Networking
import Platform
import Primitives
import PushStore
import ServiceParts

/// `POST /wp/{id}`: any server's push to an endpoint, without a key. On the loop.
final class WebPushHandler {
    /// Part of a tenant's open requests that all servers have together.
    private static let openShare = 4

    private let context: ServiceContext
    private let pipeline: SubmissionPipeline
    private var rates = EndpointRates()
    private var vapid = VAPIDVerifier()
    private var random = RandomReserve()
    private var openCount = 0

    init(_ context: ServiceContext, _ pipeline: SubmissionPipeline) {
        self.context = context
        self.pipeline = pipeline
    }

    func post(_ call: APICall, _ respond: @escaping (HTTPAnswer) -> Void) {
        do throws(Problem) {
            guard let hash = EndpointSecret.url.hash(of: Array(call.id.utf8)) else { throw Problem.gone }
            guard openCount < call.settings.limits.openRequestCountMax / Self.openShare else {
                throw Self.wait("Too many pushes of all servers are being stored", 1)
            }
            let push = try WebPushRequest(call.request)
            openCount += 1
            let box = LoopBound((handler: self, respond: respond), to: context.loop)
            context.store.endpoint(hash) { result in
                box.loop.perform {
                    let (handler, respond) = box.value
                    handler.didFind(result, call, push) { answer in
                        handler.openCount -= 1
                        respond(answer)
                    }
                }
            }
        } catch {
            respond(context.refuse(error))
        }
    }

    private func didFind(
        _ result: Result<EndpointTarget?, StoreError>,
        _ call: APICall,
        _ push: WebPushRequest,
        _ respond: @escaping (HTTPAnswer) -> Void
    ) {
        var respond = respond
        do throws(Problem) {
            let found: EndpointTarget?
            do throws(StoreError) { found = try result.get() } catch { throw context.problem(error) }
            guard let target = found else { throw Problem.gone }
            respond = counting(target, respond)
            let bundleID = BundleID(of: target.topic, .alert)
            guard let tenant = call.settings.tenant(target.endpoint.device.tenant),
                let app = call.settings.app(bundleID, environment: target.environment, of: tenant.id),
                let gateway = app.app.gateway,
                !isBlocked(EndpointID(target.endpoint.hash).rawRepresentation, by: tenant.id)
            else { throw Problem.gone }
            guard !push.isDraft || gateway.allowsDraftCoding else { throw WebPushRequest.otherEncoding }
            // A signature costs more than the rate.
            try take(target, gateway, call.settings.limits)
            let server = try server(call, target, gateway, allowsDraft: push.isDraft)
            guard !isBlocked(server?.hash, by: tenant.id) else { throw Problem.gone }
            let push = EndpointPush(
                request: push,
                target: target,
                app: app,
                origin: gateway.origin,
                record: push.record(call.body),
                trace: Trace(bytes: random.bytes(count: Trace.byteCount))
            )
            if push.isTooLong {
                keep(push, call, tenant, respond)
            } else {
                try pipeline.begin(call, tenant, push, respond: respond)
            }
        } catch {
            respond(context.refuse(error))
        }
    }

    /// Keeps a record, then submits the push that tells of it. A refused push leaves none behind.
    private func keep(
        _ push: EndpointPush,
        _ call: APICall,
        _ tenant: TenantConfiguration,
        _ respond: @escaping (HTTPAnswer) -> Void
    ) {
        let record = push.kept(now: context.clock.now())
        let box = LoopBound((handler: self, push: push, respond: respond), to: context.loop)
        Task(executorPreference: context.loop) { [context] in
            do throws(Problem) {
                let now = context.clock.now()
                try await context.asking { () throws(StoreError) in try await context.store.keep(record, now: now) }
                box.value.handler.submit(box.value.push, call, tenant, record, box.value.respond)
            } catch {
                box.value.respond(context.refuse(error))
            }
        }
    }

    private func submit(
        _ push: EndpointPush,
        _ call: APICall,
        _ tenant: TenantConfiguration,
        _ record: KeptRecord,
        _ respond: @escaping (HTTPAnswer) -> Void
    ) {
        let end = { [store = context.store] (answer: HTTPAnswer) in
            respond(answer)
            guard answer.status != 201 else { return }
            // `try?`: it expires if this fails.
            Task { try? await store.dropRecord(record.name) }
        }
        do throws(Problem) { try pipeline.begin(call, tenant, push, respond: end) } catch { end(context.refuse(error)) }
    }

    /// - Returns: the server's key; nil if it did not sign.
    /// - Throws: `.vapidMissing`, `.vapidRefused`.
    private func server(
        _ call: APICall,
        _ target: EndpointTarget,
        _ gateway: GatewayConfiguration,
        allowsDraft: Bool
    ) throws(Problem) -> VAPIDKey? {
        do throws(VAPIDError) {
            return try vapid.check(
                call.request,
                boundTo: target.endpoint.vapidKeyHash,
                origin: gateway.origin,
                allowsDraft: allowsDraft,
                now: context.clock.now()
            )
        } catch {
            throw Problem(error, origin: gateway.origin)
        }
    }

    private func counting(
        _ target: EndpointTarget,
        _ respond: @escaping (HTTPAnswer) -> Void
    ) -> (HTTPAnswer) -> Void {
        { [context] answer in
            let now = context.clock.uptime()
            context.endpointCounts.withLock { $0.note(target, isAccepted: answer.status == 201, now: now) }
            respond(answer)
        }
    }

    /// - Throws: `.tooManyRequests`.
    private func take(
        _ target: EndpointTarget,
        _ gateway: GatewayConfiguration,
        _ limits: ServiceLimits
    ) throws(Problem) {
        let now = context.clock.uptime()
        guard let (owner, wait) = rates.take(target, perSecond: gateway.pushesPerSecond, limits, now: now) else {
            return
        }
        throw Self.wait("Too many pushes came to this \(owner.rawValue)", max(1, wait.components.seconds + 1))
    }

    /// True for an endpoint or VAPID key that the tenant keeps out; its 410 makes the server forget the endpoint.
    private func isBlocked(_ id: [UInt8]?, by tenant: TenantID) -> Bool {
        guard let id else { return false }
        return context.endpointBlocks.withLock { !$0.isEmpty && $0.contains(EndpointBlock(tenant: tenant, id: id)) }
    }

    private static func wait(_ what: String, _ seconds: Int64) -> Problem {
        var problem = Problem(.tooManyRequests, what + ". Wait for the time in 'Retry-After'.")
        problem.retryAfterSeconds = seconds
        return problem
    }
}

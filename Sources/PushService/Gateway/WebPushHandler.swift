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
    /// Push whose endpoint is being looked up.
    private final class Arrival {
        let call: APICall
        let push: WebPushRequest
        let hash: [UInt8]
        let id: EndpointID
        let respond: (HTTPAnswer) -> Void
        /// Of an earlier push.
        var known: CountedEndpoint?
        var target: EndpointTarget?

        init(_ call: APICall, _ push: WebPushRequest, _ hash: [UInt8], _ respond: @escaping (HTTPAnswer) -> Void) {
            (self.call, self.push, self.hash, self.respond) = (call, push, hash, respond)
            id = EndpointID(hash)
        }
    }

    private let context: ServiceContext
    private let pipeline: SubmissionPipeline
    /// Strangers' pushes are looked up and stored together: tenants would wait for a commit of each.
    private lazy var lookups = CallBatch<Arrival>(
        context.loop,
        interval: .milliseconds(5),
        call: { [context] in Self.lookUp($0, context, $1) },
        deliver: { [weak self] in self?.didLookUp($0, $1) }
    )
    private var rates = EndpointRates()
    private var vapid = VAPIDVerifier()
    private var random = RandomReserve()

    init(_ context: ServiceContext, _ pipeline: SubmissionPipeline) {
        self.context = context
        self.pipeline = pipeline
    }

    func post(_ call: APICall, _ respond: @escaping (HTTPAnswer) -> Void) {
        do throws(Problem) {
            guard let push = call.webPush, let hash = EndpointSecret.url.hash(of: Array(call.id.utf8)) else {
                throw Problem.gone
            }
            guard push.encoding != .none || call.body.isEmpty else { throw WebPushRequest.otherEncoding }
            let arrival = Arrival(call, push, hash, respond)
            try checkKnown(arrival)
            lookups.add(arrival)
        } catch {
            respond(context.refuse(error))
        }
    }

    /// Refuses what an endpoint's earlier push shows to have no room, which costs no call of the store. One that is gone
    /// is looked up.
    ///
    /// - Throws: `.tooManyRequests`.
    private func checkKnown(_ arrival: Arrival) throws(Problem) {
        let (id, settings, now) = (arrival.id, arrival.call.settings, context.clock.uptime())
        guard let known = context.endpointCounts.withLock({ $0.known(id) }) else { return }
        arrival.known = known
        // `try?`: the look-up finds the same, and what is so now.
        guard let (_, gateway) = try? app(known, settings),
            let refusal = rates.wait(known, perSecond: gateway.pushesPerSecond, settings.limits, now: now)
        else { return }
        context.endpointCounts.withLock { $0.note(known, isAccepted: false, now: now) }
        try Self.check(refusal)
    }

    private static func lookUp(
        _ arrivals: [Arrival],
        _ context: ServiceContext,
        _ completion: @escaping ([StoreError?]) -> Void
    ) {
        let box = LoopBound((arrivals: arrivals, completion: completion), to: context.loop)
        context.store.endpoints(arrivals.map(\.hash)) { result in
            box.loop.perform {
                let (arrivals, completion) = box.value
                switch result {
                case .success(let targets):
                    for (arrival, target) in zip(arrivals, targets) { arrival.target = target }
                    completion(arrivals.map { _ in nil })
                case .failure(let error): completion(arrivals.map { _ in error })
                }
            }
        }
    }

    private func didLookUp(_ arrival: Arrival, _ error: StoreError?) {
        let call = arrival.call
        var respond = arrival.respond
        do throws(Problem) {
            if let error { throw context.problem(error) }
            guard let target = arrival.target else { throw Problem.gone }
            let endpoint = counted(target, arrival.known)
            respond = counting(endpoint, respond)
            let (app, gateway) = try app(endpoint, call.settings)
            let isDraft = arrival.push.isDraft
            guard !isDraft || gateway.allowsDraftCoding else { throw WebPushRequest.otherEncoding }
            // A signature costs more than the rate.
            try Self.check(
                rates.take(
                    endpoint,
                    perSecond: gateway.pushesPerSecond,
                    call.settings.limits,
                    now: context.clock.uptime()
                )
            )
            let server = try server(call, target, gateway, allowsDraft: isDraft)
            guard !isBlocked(server?.hash, by: endpoint.app.tenant),
                let tenant = call.settings.tenant(endpoint.app.tenant)
            else { throw Problem.gone }
            let push = EndpointPush(
                request: arrival.push,
                target: target,
                app: app,
                origin: gateway.origin,
                record: arrival.push.record(call.body),
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

    /// - Parameter known: from an earlier push; its device may have another app since.
    private func counted(_ target: EndpointTarget, _ known: CountedEndpoint?) -> CountedEndpoint {
        if let known, known.app.topic == target.topic, known.app.environment == target.environment { return known }
        if let id = known?.id { context.endpointCounts.withLock { $0.forget(id) } }
        let app = GatewayApp(
            tenant: target.endpoint.device.tenant,
            topic: target.topic,
            environment: target.environment
        )
        return CountedEndpoint(target.endpoint, app)
    }

    /// - Returns: the endpoint's app and its gateway.
    /// - Throws: `.gone` without one, and for an expired or blocked endpoint.
    private func app(
        _ endpoint: CountedEndpoint,
        _ settings: ServiceSettings
    ) throws(Problem) -> (app: ServiceSettings.App, gateway: GatewayConfiguration) {
        let key = endpoint.app
        guard let app = settings.app(BundleID(of: key.topic, .alert), environment: key.environment, of: key.tenant),
            let gateway = app.app.gateway, !endpoint.endpoint.hasExpired(at: context.clock.now()),
            !isBlocked(endpoint.id.rawRepresentation, by: key.tenant)
        else { throw Problem.gone }
        return (app, gateway)
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
        _ endpoint: CountedEndpoint,
        _ respond: @escaping (HTTPAnswer) -> Void
    ) -> (HTTPAnswer) -> Void {
        { [context] answer in
            let now = context.clock.uptime()
            context.endpointCounts.withLock { $0.note(endpoint, isAccepted: answer.status == 201, now: now) }
            respond(answer)
        }
    }

    /// - Throws: `.tooManyRequests`.
    private static func check(_ refusal: (owner: EndpointRates.Owner, wait: Duration)?) throws(Problem) {
        guard let (owner, wait) = refusal else { return }
        throw Self.wait("Too many pushes came to this \(owner.rawValue)", max(1, wait.components.seconds + 1))
    }

    /// True for an endpoint or VAPID key that the tenant keeps out; its 410 makes the server forget the endpoint.
    private func isBlocked(_ id: @autoclosure () -> [UInt8]?, by tenant: TenantID) -> Bool {
        context.endpointBlocks.withLock { blocks in
            guard !blocks.isEmpty, let id = id() else { return false }
            return blocks.contains(EndpointBlock(tenant: tenant, id: id))
        }
    }

    private static func wait(_ what: String, _ seconds: Int64) -> Problem {
        var problem = Problem(.tooManyRequests, what + ". Wait for the time in 'Retry-After'.")
        problem.retryAfterSeconds = seconds
        return problem
    }
}

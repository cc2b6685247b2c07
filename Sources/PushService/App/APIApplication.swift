import Envelope
package import HTTP
import Networking
import Platform
import PushStore
import ServiceParts

/// HTTP API. On the context's loop.
package final class APIApplication: HTTPApplication {
    final class State {
        var authenticator: Authenticator
        var clients = ClientAddresses()
        var isDraining = false
        /// Requests without an answer yet.
        var openCount = 0
        /// Of each tenant; those of all servers, which have no key, count as one more tenant's.
        var submissions = SharedSlots<TenantID?>()
        var outcomes = SubmissionOutcomes()
        /// Keys whose expiry has been logged.
        var endedKeys: Set<String> = []
        var whenIdle: [() -> Void] = []

        init(authenticator: Authenticator) { self.authenticator = authenticator }
    }

    let context: ServiceContext
    let dispatch: any DispatchInterface
    let states: NotificationStateHandler
    let status: StatusHandler
    let resends: ResendHandler
    let deliveries: DeliveriesHandler
    let bundles: BundleHandler
    let statistics: StatisticsHandler
    let enrolments: EnrolmentHandler
    let submissions: LoopBound<SubmissionPipeline>
    let webPush: LoopBound<WebPushHandler>
    let state: LoopBound<State>

    /// - Parameter vitals: called on the loop.
    package init(
        _ context: ServiceContext,
        dispatch: any DispatchInterface,
        quota: QuotaTable,
        vitals: @escaping @Sendable () -> StoreVitals
    ) {
        self.context = context
        self.dispatch = dispatch
        let pipeline = SubmissionPipeline(context, dispatch, quota)
        submissions = LoopBound(pipeline, to: context.loop)
        webPush = LoopBound(WebPushHandler(context, pipeline), to: context.loop)
        states = NotificationStateHandler(context: context, dispatch: dispatch)
        status = StatusHandler(context: context, vitals: vitals)
        resends = ResendHandler(context, dispatch: dispatch)
        deliveries = DeliveriesHandler(context)
        bundles = BundleHandler(context)
        statistics = StatisticsHandler(context: context, dispatch: dispatch)
        enrolments = EnrolmentHandler(context)
        state = LoopBound(State(authenticator: Authenticator(context.settings.configuration)), to: context.loop)
    }

    // MARK: Operation. On the loop.

    package func reload() {
        state.value.authenticator.adopt(context.settings.configuration)
        state.value.endedKeys = []
    }

    /// Refuses new submissions, not reads.
    package func drain() { state.value.isDraining = true }

    package var openCount: Int { state.value.openCount }

    /// Calls `action` once no request is open; perhaps at once.
    package func whenIdle(_ action: @escaping () -> Void) {
        let state = state.value
        if state.openCount == 0 { action() } else { state.whenIdle.append(action) }
    }

    /// - Throws: `.tooManyRequests`; the request is not counted then.
    func willAnswer(_ call: APICall) throws(Problem) {
        let state = state.value
        if call.route.operation.isSubmission {
            // Many bodies may have been on their way to the last room.
            try Admission.checkOpen(call.grant?.tenant, in: state.submissions, call.settings.limits)
            state.submissions.take(for: call.grant?.tenant)
        }
        state.openCount += 1
    }

    func didAnswer(_ call: APICall, status: Int) {
        let state = state.value
        if call.route.operation.isSubmission {
            state.submissions.giveBack(of: call.grant?.tenant)
            state.outcomes.note(status: status, now: context.clock.uptime())
        }
        state.openCount -= 1
        guard state.openCount == 0, !state.whenIdle.isEmpty else { return }
        let actions = state.whenIdle
        state.whenIdle = []
        for action in actions { action() }
    }

    // MARK: A request

    package func begin(_ head: HTTPHead) -> HTTPBeginning { begin(head, session: nil) }

    /// - Parameter session: key of a session, in place of the request's.
    private func begin(_ head: HTTPHead, session: APIKeyHash?) -> HTTPBeginning {
        if let answer = Admission.refusal(of: head, open: state.value.submissions, context) {
            return .answer(answer)
        }
        do throws(Problem) {
            let admission = try admit(head, state.value, session)
            let operation = admission.route.operation
            if operation == .health { return .answer(status.health()) }
            let byteCountMax = APICall.bodyByteCountMax(operation, admission.settings.limits)
            return .read(byteCountMax: byteCountMax, share: admission.share, then: APIExchange(self, admission))
        } catch {
            if let grant = error.endedKey { note(endedKey: grant) }
            return .answer(refuse(error))
        }
    }

    /// Logs an expired key's use, once a reload.
    private func note(endedKey grant: Grant) {
        let name = "\(grant.tenant.text)/\(grant.keyName)"
        guard state.value.endedKeys.insert(name).inserted else { return }
        context.log.event(
            "key-ended",
            .warning,
            at: context.clock.now(),
            [("tenant", grant.tenant.text), ("key", grant.keyName)]
        )
    }

    private func admit(
        _ head: HTTPHead,
        _ state: State,
        _ session: APIKeyHash?
    ) throws(Problem) -> APIAdmission {
        let now = context.clock.uptime()
        let settings = context.settings
        let request = APIHead.request(head, &state.clients, settings.configuration.proxies)
        let target = APIHead.target(head)
        let match: Router.Match
        do throws(Problem) {
            match = try Router.match(method: head.method, path: target.path)
        } catch {
            // Unknown paths use the same rate.
            _ = try state.authenticator.admit(request, to: Route.open, now: now, unixSeconds: 0)
            throw error
        }
        let grant = try state.authenticator.admit(
            request,
            to: match.route,
            session: session,
            now: now,
            unixSeconds: unixSeconds
        )
        if target.query != nil, match.route.query.isEmpty {
            throw Problem(.badRequest, "Leave the query out; this operation takes none.")
        }
        var webPush: WebPushRequest?
        switch match.route.body {
        case .none: if APIHead.announcesBody(head) { throw Self.noBody }
        case .json: try RequestBody.checkType(request)
        case .record: webPush = try WebPushRequest(request)
        }
        let isSubmission = match.route.operation.isSubmission
        if isSubmission { try Admission.checkOpen(grant?.tenant, in: state.submissions, settings.limits) }
        if state.isDraining, isSubmission {
            var problem = Problem(.draining, "Send it again later, or to another instance.")
            problem.retryAfterSeconds = Int64(settings.limits.drainSeconds)
            throw problem
        }
        return APIAdmission(
            route: match.route,
            id: match.id ?? "",
            query: target.query,
            fields: match.route.body == .record
                ? request.fields : request.fields.filter { $0.name != "authorization" },
            grant: grant,
            endpointKeyHash: match.route.operation.isDevices ? Self.endpointKeyHash(request) : nil,
            webPush: webPush,
            share: grant.map { .keyed(owner: $0.tenant.text) } ?? .keyless(network: request.client?.network ?? []),
            settings: settings,
            begun: now
        )
    }

    private static func endpointKeyHash(_ request: APIRequest) -> [UInt8]? {
        request.value(of: "authorization").flatMap { APIKey.bearer($0) }.flatMap { EndpointSecret.key.hash(of: $0) }
    }

    private var unixSeconds: Int64 { Int64(clamping: context.clock.wall().milliseconds / 1_000) }

    static var noBody: Problem { Problem(.badRequest, "Leave the body out; this operation takes none.") }

    func refuse(_ problem: Problem) -> HTTPAnswer { context.refuse(problem) }

    /// - Parameter respond: called once, on the loop, perhaps before this returns.
    func answer(_ call: APICall, _ respond: @escaping (HTTPAnswer) -> Void) {
        let devices = DeviceHandler(context: context)
        let endpoints = EndpointHandler(context: context)
        let gateway = GatewayHandler(context: context)
        switch call.route.operation {
        case .postNotifications, .postSAP: submissions.value.begin(call, respond: respond)
        case .putDevice: inTask(call, respond, devices.put)
        case .getDevice: inTask(call, respond, devices.get)
        case .deleteDevice: inTask(call, respond, devices.delete)
        case .putEndpointKey: inTask(call, respond, endpoints.putKey)
        case .postEnrolment: inTask(call, respond, enrolments.post)
        case .postChallenge: inTask(call, respond, enrolments.challenge)
        case .postEndpoint: inTask(call, respond, endpoints.post)
        case .listEndpoints: inTask(call, respond, endpoints.list)
        case .deleteEndpoint: inTask(call, respond, endpoints.delete)
        case .listDeviceEndpoints: inTask(call, respond, gateway.list)
        case .getGateway: inTask(call, respond, gateway.get)
        case .putBlock: inTask(call, respond, gateway.block)
        case .deleteBlock: inTask(call, respond, gateway.unblock)
        case .postWebPush: webPush.value.post(call, respond)
        case .getRecord: inTask(call, respond, RecordHandler(context: context).get)
        case .getBundle: inTask(call, respond, bundles.get)
        case .queryBundles: inTask(call, respond, bundles.query)
        case .getDeliveries: inTask(call, respond, deliveries.get)
        case .listDeviceNotifications:
            inTask(call, respond) { [self] call throws(Problem) in try await deliveries.list(call, states) }
        case .getTrace: inTask(call, respond, states.trace)
        case .getStatistics, .getServiceStatistics: inTask(call, respond, statistics.now)
        case .getDays, .getServiceDays: inTask(call, respond, statistics.days)
        case .getNotification: inTask(call, respond, states.get)
        case .listDeadLetters: inTask(call, respond, states.list)
        case .replayDeadLetters: inTask(call, respond, ReplayHandler(context: context, dispatch: dispatch).post)
        case .postReceipts: inTask(call, respond, ReceiptHandler(context: context, dispatch: dispatch).post)
        case .postResends: inTask(call, respond, resends.post)
        case .health: respond(status.health())
        case .readiness: do throws(Problem) { respond(try readiness(state.value)) } catch { respond(refuse(error)) }
        case .metrics: respond(status.metrics())
        }
    }

    /// Answers in a task, which ends with the store's last answer. Broken requests cancel nothing.
    private func inTask(
        _ call: APICall,
        _ respond: @escaping (HTTPAnswer) -> Void,
        _ handle: @escaping @Sendable (APICall) async throws(Problem) -> HTTPAnswer
    ) {
        let box = LoopBound(respond, to: context.loop)
        Task(executorPreference: context.loop) { [self] in
            do throws(Problem) { box.value(try await handle(call)) } catch { box.value(refuse(error)) }
        }
    }

    private func readiness(_ state: State) throws(Problem) -> HTTPAnswer {
        let areFailing = state.outcomes.areFailing(now: context.clock.uptime())
        return try status.readiness(isDraining: state.isDraining, areFailing: areFailing)
    }
}

extension APIApplication: DashboardInterface {
    func signIn(_ key: APIKeyHash, _ head: HTTPHead) throws(Problem) -> Grant {
        let state = state.value
        let request = APIHead.request(head, &state.clients, context.settings.configuration.proxies)
        let now = context.clock.uptime()
        let grant: Grant
        do throws(Problem) {
            grant = try state.authenticator.grant(of: key, request, now: now, unixSeconds: unixSeconds)
        } catch {
            if let grant = error.endedKey { note(endedKey: grant) }
            throw error
        }
        guard grant.scopes.contains(.read) || grant.scopes.contains(.metrics) else {
            throw Problem(.forbidden, "Use a key with the scope 'read' or 'metrics', or add one to this key's.")
        }
        return grant
    }

    func grant(of key: APIKeyHash) -> Grant? { state.value.authenticator.grant(of: key, unixSeconds: unixSeconds) }

    func begin(_ head: HTTPHead, as key: APIKeyHash) -> HTTPBeginning { begin(head, session: key) }

    func statistics(of tenant: TenantID?) async throws(Problem) -> [UInt8] { try await statistics.bytes(of: tenant) }
}

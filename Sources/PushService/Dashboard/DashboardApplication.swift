import Envelope
import HTTP
import Networking
import Primitives
import PushStore
import ServiceParts

/// Page for operators, its sessions, and the part of the API that it shows. On the context's loop.
///
/// A page of another site has another `Origin`, a name that was rebound to this machine another `Host`.
final class DashboardApplication: HTTPApplication {
    private struct SignedIn {
        let id: DashboardSessions.ID
        let key: APIKeyHash
        let grant: Grant
    }

    private final class State {
        var sessions = DashboardSessions()
        var random = SystemRandom()
    }

    /// Reads and the replay: nothing that sends or registers.
    private static let operations: Set<Route.Operation> = [
        .getStatistics, .getDays, .getServiceStatistics, .getServiceDays, .getNotification, .getTrace, .getDeliveries,
        .listDeviceNotifications, .listDeadLetters, .replayDeadLetters,
    ]
    private static let signInByteCountMax = 256

    private let context: ServiceContext
    private let api: any DashboardInterface
    private let isTLS: Bool
    private let caller: PageCaller
    private let state: LoopBound<State>
    let feed: DashboardFeed
    private let files = PageFiles([
        "/": ("dashboard.html", PackageResources.dashboard_html),
        "/dashboard.css": ("dashboard.css", PackageResources.dashboard_css),
        "/dashboard.js": ("dashboard.js", PackageResources.dashboard_js),
        "/charts.js": ("charts.js", PackageResources.charts_js),
        "/strings.js": ("strings.js", PackageResources.strings_js),
    ])

    init(_ context: ServiceContext, _ configuration: DashboardConfiguration, _ api: any DashboardInterface) {
        self.context = context
        self.api = api
        isTLS = configuration.address != nil
        caller = PageCaller(hosts: configuration.hosts, allowsOwnPage: true)
        state = LoopBound(State(), to: context.loop)
        feed = DashboardFeed(context.loop, api)
    }

    func begin(_ head: HTTPHead) -> HTTPBeginning {
        let request = HTTPRequest(head)
        do throws(Problem) {
            try check(request)
            if let file = files.answer(request) { return .answer(file) }
            switch request.path {
            case "/session": return try session(request, head)
            case "/events": return .answer(try events(request))
            default: return try call(request, head)
            }
        } catch {
            return .answer(context.refuse(error))
        }
    }

    private func check(_ request: HTTPRequest) throws(Problem) {
        do throws(PageCallerError) {
            try caller.checkHost(request)
            let origin = request.value(of: "Origin")
            // A proxy of this machine may have TLS for the plain port.
            let isSecure = isTLS || origin?.hasPrefix("https:") == true
            try caller.checkOrigin(request, scheme: isSecure ? "https" : "http")
            let isRead = request.method == "GET" || request.method == "HEAD"
            guard isRead || origin != nil else { throw .origin }
        } catch {
            switch error {
            case .host:
                throw Problem(.forbidden, "Open the page by a name of 'hosts' in the configuration's 'dashboard'.")
            case .origin: throw Problem(.forbidden, "Only the dashboard's own page may call it.")
            }
        }
    }

    // MARK: Sessions

    private func session(_ request: HTTPRequest, _ head: HTTPHead) throws(Problem) -> HTTPBeginning {
        switch request.method {
        case "GET", "HEAD": return .answer(shown(try signedIn(request)))
        case "DELETE":
            if let secret = DashboardCookie.secret(request, isTLS: isTLS) {
                state.value.sessions.end(.init(of: secret))
            }
            return .answer(HTTPAnswer(status: 204, fields: [cookie("", request)]))
        case "POST":
            return .read(
                byteCountMax: Self.signInByteCountMax,
                share: .keyless(network: Array((head.remoteAddress ?? "").utf8)),
                then: DashboardSignIn { [self] body in answer(body, request, head) }
            )
        default:
            var problem = Problem(.methodNotAllowed, "Use GET, POST or DELETE.")
            problem.allow = ["GET", "POST", "DELETE"]
            throw problem
        }
    }

    private func answer(_ body: HTTPBody, _ request: HTTPRequest, _ head: HTTPHead) -> HTTPAnswer {
        do throws(Problem) {
            guard case .whole(let bytes) = body, let key = Self.key(bytes) else {
                throw Problem(.badRequest, "Send {\"key\": \"spk_…\"}.")
            }
            let hash = APIKeyHash(of: key)
            let grant = try api.signIn(hash, head)
            let state = state.value
            guard let secret = state.sessions.begin(hash, now: context.clock.uptime(), random: &state.random) else {
                throw Problem(.tooManyRequests, "Too many browsers are signed in; sign out in one of them.")
            }
            context.audit("dashboard-sign-in", grant, [])
            return HTTPAnswer(status: 204, fields: [cookie(secret, request)])
        } catch {
            return context.refuse(error)
        }
    }

    private static func key(_ body: [UInt8]) -> [UInt8]? {
        let limits = JSONParser.Limits(byteCountMax: signInByteCountMax, depthMax: 2, allowsFractions: false)
        let value = try? JSONParser.parse(body, limits: limits)
        guard value?.members?.count == 1 else { return nil }
        return value?["key"]?.string.map { Array($0.utf8) }
    }

    private func cookie(_ secret: String, _ request: HTTPRequest) -> HTTPRequest.Field {
        let isSecure = isTLS || request.value(of: "Origin")?.hasPrefix("https:") == true
        return DashboardCookie.field(secret, isTLS: isTLS, isSecure: isSecure)
    }

    /// - Throws: `.unauthorized`, also after the key's end or a reload without it.
    private func signedIn(_ request: HTTPRequest) throws(Problem) -> SignedIn {
        let id = DashboardCookie.secret(request, isTLS: isTLS).map { DashboardSessions.ID(of: $0) }
        guard let id, let key = state.value.sessions.key(of: id, now: context.clock.uptime()),
            let grant = api.grant(of: key)
        else {
            throw Problem(.unauthorized, "Sign in; the session has ended, or there was none.")
        }
        return SignedIn(id: id, key: key, grant: grant)
    }

    private func isOpen(_ id: DashboardSessions.ID) -> Bool {
        state.value.sessions.key(of: id, now: context.clock.uptime()).flatMap { api.grant(of: $0) } != nil
    }

    private func shown(_ session: SignedIn) -> HTTPAnswer {
        let left = state.value.sessions.secondsLeft(of: session.id, now: context.clock.uptime())
        return .json(200) { writer in
            writer.member("tenant", session.grant.tenant.text)
            writer.member("key", session.grant.keyName)
            writer.name("scopes")
            writer.array { writer in
                for scope in Scope.allCases where session.grant.scopes.contains(scope) { writer.string(scope.rawValue) }
            }
            writer.member("seconds-left", left)
        }
    }

    // MARK: Signed in

    private func events(_ request: HTTPRequest) throws(Problem) -> HTTPAnswer {
        let session = try signedIn(request)
        let isOfService = request.query == "of=service"
        let scope: Scope = isOfService ? .metrics : .read
        guard session.grant.scopes.contains(scope) else {
            throw Problem(.forbidden, "Use a key with the scope '\(scope.rawValue)', or add it to this key's.")
        }
        let tenant = isOfService ? nil : session.grant.tenant
        guard request.method == "GET", let answer = feed.open(session.id, of: tenant, isOpen: isOpen) else {
            throw Problem(.tooManyRequests, "Too many pages are open; close one.")
        }
        return answer
    }

    private func call(_ request: HTTPRequest, _ head: HTTPHead) throws(Problem) -> HTTPBeginning {
        let route = try Router.match(method: request.method, path: request.path).route
        guard Self.operations.contains(route.operation) else {
            throw Problem(.notFound, "The dashboard's listener does not have this operation; call the API's.")
        }
        return api.begin(head, as: try signedIn(request).key)
    }
}

/// Body of a request to sign in.
private final class DashboardSignIn: HTTPExchange {
    private let answer: (HTTPBody) -> HTTPAnswer

    init(_ answer: @escaping (HTTPBody) -> HTTPAnswer) { self.answer = answer }

    func finish(_ body: HTTPBody, _ responder: HTTPResponder) { responder.respond(answer(body)) }
}

import APNS
import Envelope
import HTTP
import Networking
import Platform
import Primitives
import PushStorePattern
import ServiceParts
import TestCertificates
import TestSupport
import TestWebServer
import Testing

@testable import PushService
@testable import PushStore

/// The surroundings of runners: a loop, a store, files of secrets, and servers over TLS on this machine.
final class HookSite {
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    static let oldSecret = "whsec_VGhlIHNlY3JldCBvZiBiZWZvcmUsIGxvbmdlci4="
    static let secretQuery = "only-in-the-url"

    let authority: TestAuthority
    let loop: EventLoop
    let store: SQLiteStore
    let log = Watched<[String]>([])
    let secretPath: String
    let oldSecretPath: String
    let authorityPath: String
    private let folder: TemporaryFolder

    init() throws {
        authority = try TestAuthority()
        loop = try EventLoop()
        folder = try TemporaryFolder()
        store = try SQLiteStore(path: folder.path("hooks"), key: try StorePattern.key(), now: Self.now)
        secretPath = try folder.makeFile("hook.key", Self.secret)
        oldSecretPath = try folder.makeFile("old.key", Self.oldSecret)
        authorityPath = try folder.makeFile("ca.pem", String(decoding: authority.certificatePEM, as: UTF8.self))
    }

    deinit { loop.stopAnywhere() }

    static var now: Timestamp { Timestamp(milliseconds: SystemClock.millisecondsSince1970) }

    static let clock = ServiceClock(now: { now }, uptime: { MonotonicTime.now().nanoseconds })

    func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        try folder.makeFile(name, text, mode: mode)
    }

    func serve(_ script: @escaping TestWebServer.Script) async throws -> TestWebServer {
        try await TestWebServer.start(try authority.issue(), script: script)
    }

    /// Starts a plain-text receiver with room for every call.
    ///
    /// - Returns: its port.
    func receiver(
        _ answer: @escaping @Sendable (HTTPRequest) -> HTTPAnswer
    ) async throws -> (server: HTTPFront, port: UInt16) {
        var limits = HTTPLimits.patient
        limits.loopbackConnectionCountMax = 4_096
        let application = HTTPRequestApplication(body: { _ in (1 << 20, .keyed(owner: "receiver")) }, answer: answer)
        let server = try await HTTPFront.startPlain(port: 0, loop: loop, limits: limits, application: application)
        return (server, try #require(server.loopbackPort))
    }

    /// A webhook to a port of this machine, which is allowed unless said otherwise.
    func webhook(
        port: UInt16,
        host: String = "127.0.0.1",
        allowed: [String] = ["127.0.0.0/8"],
        oldSecretPath: String? = nil,
        secretPath: String? = nil,
        isPlain: Bool = false,
        eventsPerCall: Int = 1
    ) -> WebhookConfiguration {
        let url = "\(isPlain ? "http" : "https")://\(host):\(port)/hook?key=\(Self.secretQuery)"
        guard let target = WebhookTarget(url, allowsPlainHTTP: isPlain) else { preconditionFailure("no target") }
        return WebhookConfiguration(
            target: target,
            secretFile: secretPath ?? self.secretPath,
            oldSecretFile: oldSecretPath,
            authoritiesFile: authorityPath,
            allowedRanges: allowed.compactMap { IPRange($0) },
            eventsPerCall: eventsPerCall
        )
    }

    /// Tenants by id, each with its webhook and one app in production and in the sandbox.
    func settings(
        _ webhooks: [String: WebhookConfiguration?],
        fallback: FallbackConfiguration? = nil,
        sandboxFallback: FallbackConfiguration? = nil
    ) throws -> ServiceSettings {
        let example = try ExampleConfiguration.read()
        let tenant = example.tenants[0]
        let apps = zip(tenant.apps, [fallback, sandboxFallback]).map { app, fallback in
            AppConfiguration(
                bundleID: app.bundleID,
                environment: app.environment,
                credential: app.credential,
                endpoint: nil,
                feedback: nil,
                placeholder: app.placeholder,
                takesReceipts: true,
                fallback: fallback
            )
        }
        let tenants = webhooks.map { id, webhook in
            TenantConfiguration(
                id: .named(id),
                keys: tenant.keys,
                apps: apps,
                quotaPerDay: 1,
                requestsPerSecond: 1,
                allowsClearText: false,
                webhook: webhook
            )
        }
        return ServiceSettings(
            ServiceConfiguration(
                listens: example.listens,
                loopbackPort: nil,
                socket: nil,
                proxies: nil,
                tls: example.tls,
                database: .file("/nowhere"),
                tokenKeyFile: "/nowhere",
                tenants: tenants,
                limits: example.limits
            )
        )
    }

    func context(_ settings: ServiceSettings, store: SQLiteStore? = nil) -> ServiceContext {
        let store = store ?? self.store
        return ServiceContext(
            loop: loop,
            store: store,
            clock: Self.clock,
            log: ServiceLog { [log] line in log.change { $0.append(String(decoding: line, as: UTF8.self)) } },
            collapseKey: CollapseKey(SecretBytes(byteCount: 32) { _ in }),
            settings: settings,
            shards: ShardTenure(store.openingReport.leases)
        )
    }

    /// A route that is never too slow, however busy the machine.
    static func way(_ lookup: WebhookRoute.Lookup? = nil) -> WebhookRoute {
        var way = WebhookRoute()
        way.seconds = 600
        if let lookup { way.lookup = lookup }
        return way
    }

    // MARK: The store's content

    /// Adds notifications with one ended attempt.
    ///
    /// - Parameters:
    ///   - numbers: each gives its entry, by `StorePattern`, and its device.
    ///   - time: of their end.
    ///   - change: what differs from the pattern.
    @discardableResult
    func sent(
        _ numbers: some Sequence<Int>,
        tenant: String = "acme",
        _ verdict: PushStore.Verdict = .accepted,
        status: Int = 200,
        at time: Timestamp = now,
        change: (inout NewEntry) throws -> Void = { _ in }
    ) async throws -> [EntryID] {
        let entries = try numbers.map { number in
            var entry = try StorePattern.entry(UInt64(number), device: number, lane: .urgent)
            try change(&entry)
            return entry
        }
        let request = try OutboxRequest(tenant: try TenantID(tenant), idempotency: nil, entries: entries)
        let sending = try await store.enqueueSending([request], now: StorePattern.start)
        guard case .sending(let leases) = sending[0] else { throw StoreError.closed }
        let attempt = Attempt(
            time: time,
            connection: .answered,
            status: status,
            reason: status == 200 ? nil : "Unregistered"
        )
        let outcomes = leases.map { PushStore.Outcome(lease: $0, attempt: attempt, verdict: verdict) }
        _ = try await store.finish(outcomes, now: time)
        return leases.map(\.id)
    }

    func hooks() async throws -> [(entry: EntryID?, kind: HookKind?)] {
        try await store.read { reader throws(StoreError) in
            try reader.sql("SELECT entry, kind FROM hook ORDER BY id").all([]) { row in
                (EntryID(value: row.integer(0)), HookKind(rawValue: UInt8(clamping: row.integer(1))))
            }
        }
    }

    func count(_ query: String) async throws -> Int64 {
        try await store.read { reader throws(StoreError) in try reader.sql(query).first([]) { $0.integer(0) } ?? -1 }
    }

    /// Polls without a deadline: each poll is a turn of the store's thread.
    func until(_ isReached: () async throws -> Bool) async throws {
        while try await !isReached() { await Task.yield() }
    }

    /// Waits until no event is left to send.
    func untilTold(tenant: String = "acme") async throws {
        let tenant = try TenantID(tenant)
        try await until { try await store.hookCounts().allSatisfy { $0.tenant != tenant || $0.waiting == 0 } }
    }
}

extension TestWebServer.Request {
    func isSigned(with secret: String) -> Bool {
        let text = Array(secret.utf8)
        guard let id = fields[WebhookSignature.idFieldName], let secret = unsafe WebhookSecret.decode(text.span.bytes),
            let seconds = fields[WebhookSignature.timeFieldName].flatMap({ Int64($0) }),
            abs(seconds - Int64(SystemClock.millisecondsSince1970 / 1_000)) <= 300
        else { return false }
        let expected = WebhookSignature.value(id, unixSeconds: seconds, body: body, secret: secret)
        return (fields[WebhookSignature.fieldName] ?? "").split(separator: " ").contains { $0 == expected }
    }
}

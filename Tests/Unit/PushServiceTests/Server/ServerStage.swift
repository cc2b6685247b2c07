import APNS
import Envelope
import HTTP
import Networking
import Platform
import Primitives
import PushStore
import PushStorePattern
import ServiceParts
import Synchronization
import TestSupport
import Testing

@testable import PushService

/// The API with a real store in a folder, and no socket: requests go in as fields and a body, answers come out.
final class ServerStage: Sendable {
    /// 2026-11-01.
    static let start = Timestamp(milliseconds: 1_793_491_200_000)

    final class StagedDispatch: DispatchInterface {
        let woken = Guarded<[Set<Lane>]>([])
        /// True if every offer has room.
        let hasRoom = Guarded(false)
        let offered = Guarded<[SendOffer]>([])
        let stored = Guarded<[(offer: SendOffer, leases: [Lease])]>([])
        let notStored = Guarded<[SendOffer]>([])
        /// Notes of entries that did not come through an offer.
        let queued = Guarded<[QueueNote]>([])
        let notQueued = Guarded<[QueueNote]>([])

        func reserve(_ offer: SendOffer) -> SendReservation? {
            offered.withLock { $0.append(offer) }
            return hasRoom.withLock { $0 } ? SendReservation(offer: offer, tickets: 0..<offer.entries.count) : nil
        }
        func didStore(_ reservation: SendReservation, _ leases: [Lease]) {
            stored.withLock { $0.append((reservation.offer, leases)) }
        }
        func didNotStore(_ reservation: SendReservation) {
            notStored.withLock { $0.append(reservation.offer) }
        }
        func willQueue(_ notes: [QueueNote], tenant: TenantID, now: Timestamp) { queued.withLock { $0 += notes } }
        func didNotQueue(_ notes: [QueueNote]) { notQueued.withLock { $0 += notes } }
        func waitCause(of id: EntryID) -> WaitCause? { nil }
        func wake(_ lanes: Set<Lane>) { woken.withLock { $0.append(lanes) } }
        func didReceive(_ entries: [OutboxEntry]) {}
        func didReport(_ entries: [OutboxEntry]) {}
        let rates = Guarded(DeliveryRates())
        let suspended = Guarded<[SuspendedApp]>([])
        var deliveryRates: DeliveryRates { rates.withLock { $0 } }
        var suspendedApps: [SuspendedApp] { suspended.withLock { $0 } }
    }

    /// The service's surroundings, for the test to change.
    final class Surroundings: Sendable {
        let time = Guarded(Time())
        let vitals = Guarded(StoreVitals(health: .writable))
        let lines = Guarded<[UInt8]>([])
        let failure = Guarded<StoreError?>(nil)
    }

    struct Time {
        var now = ServerStage.start
        var uptime: Int64 = 1_000_000_000
    }

    struct Reply {
        let status: Int
        let fields: [String: String]
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSONValue? {
            let limits = JSONParser.Limits(byteCountMax: 10_000_000, depthMax: 16, allowsFractions: true)
            return try? JSONParser.parse(body, limits: limits)
        }
        func string(_ name: String) -> String? { json?[name]?.string }
        /// The word of the problem's type; nil for another answer.
        var problem: String? {
            guard fields["content-type"] == "application/problem+json" else { return nil }
            return string("type").map { String($0.dropFirst("urn:sealedpush:problem:".count)) }
        }
        var pointers: [String] { json?["errors"]?.elements?.compactMap { $0["pointer"]?.string } ?? [] }
        var notifications: [JSONValue] { json?["notifications"]?.elements ?? [] }
        var ids: [String] { notifications.compactMap { $0["id"]?.string } }
    }

    let loop: EventLoop
    let store: SQLiteStore
    let context: ServiceContext
    let quota: QuotaTable
    let application: APIApplication
    let dispatch = StagedDispatch()
    let around = Surroundings()

    private init(_ folder: String, _ settings: ServiceSettings) async throws {
        loop = try EventLoop()
        // The same key for every stage, so that one can be opened again.
        var random = SeededRandom(seed: 0x57A6_E000_0001)
        let key = try StoreKey(random.secret(byteCount: StoreKey.byteCount))
        let around = around
        var storing = StoreSettings()
        storing.refusal = { around.failure.withLock { $0 } }
        store = try SQLiteStore(path: folder + "/store", key: key, settings: storing, now: Self.start)
        context = ServiceContext(
            loop: loop,
            store: store,
            clock: ServiceClock(
                now: { around.time.withLock { $0.now } },
                uptime: { around.time.withLock { $0.uptime } }
            ),
            log: ServiceLog { line in around.lines.withLock { $0 += line } },
            collapseKey: CollapseKey(random.secret(byteCount: 32)),
            settings: settings,
            shards: ShardTenure(store.openingReport.leases)
        )
        quota = QuotaTable(context)
        application = APIApplication(context, dispatch: dispatch, quota: quota) { around.vitals.withLock { $0 } }
        try await quota.load()
    }

    /// Runs a test on a stage.
    ///
    /// - Parameters:
    ///   - folder: where the store is; a new one unless it is given.
    ///   - limits: members of the configuration's `limits`.
    ///   - quota: of the tenant `acme`.
    ///   - gateway: further members of its app's `gateway`.
    static func with(
        folder: TemporaryFolder? = nil,
        limits: String = "",
        quota: Int = 1_000_000,
        gateway: String = "",
        _ body: (ServerStage) async throws -> Void
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        let settings = try StagedConfiguration.settings(limits: limits, quota: quota, gateway: gateway)
        let stage = try await ServerStage(folder.path, settings)
        let result: Result<Void, any Error>
        do { result = .success(try await body(stage)) } catch { result = .failure(error) }
        stage.failure = nil
        await stage.store.close()
        stage.loop.stop()
        withExtendedLifetime(folder) {}
        try result.get()
    }

    var log: String { around.lines.withLock { String(decoding: $0, as: UTF8.self) } }

    /// The error that every write ends with from now on; nil for none.
    var failure: StoreError? {
        get { around.failure.withLock { $0 } }
        set { around.failure.withLock { $0 = newValue } }
    }

    var now: Timestamp { around.time.withLock { $0.now } }

    func advance(_ duration: Duration) {
        around.time.withLock { time in
            time.now = time.now.advanced(by: duration)
            time.uptime += duration.components.seconds * 1_000_000_000
        }
    }

    // MARK: Requests

    func send(
        _ method: String,
        _ path: String,
        _ key: String? = nil,
        body: String? = nil,
        _ fields: [(String, String)] = [],
        from address: String? = nil
    ) async -> Reply {
        var all: [(String, String)] = [(":method", method), (":path", path), (":scheme", "https")]
        if let key { all.append(("authorization", "Bearer " + key)) }
        if body != nil, !fields.contains(where: { $0.0 == "content-type" }) {
            all.append(("content-type", "application/json"))
        }
        let content = body.map { HTTPBody.whole(Array($0.utf8)) } ?? .whole([])
        return await send(all + fields, content, from: address)
    }

    func send(_ fields: [(String, String)], _ body: HTTPBody, from address: String? = nil) async -> Reply {
        var block = HeaderBlock()
        for (name, value) in fields { block.append(Array(name.utf8), Array(value.utf8)) }
        let head = HTTPHead(fields: block, remoteAddress: address)
        let answer = await withCheckedContinuation { (continuation: CheckedContinuation<HTTPAnswer, Never>) in
            let isAnswered = Once()
            let responder = HTTPResponder { answer in
                guard isAnswered.pass() else {
                    Issue.record("answered twice")
                    return
                }
                continuation.resume(returning: answer)
            }
            loop.perform { [self] in begin(head, body, responder) }
        }
        return Self.reply(answer)
    }

    /// Sends requests that all arrive in one turn of the loop, in this order.
    func together(_ method: String, _ path: String, _ key: String, bodies: [String]) async -> [Reply] {
        var all: [(String, String)] = [(":method", method), (":path", path), (":scheme", "https")]
        all.append(("authorization", "Bearer " + key))
        if method == "POST" { all.append(("content-type", "application/json")) }
        var block = HeaderBlock()
        for (name, value) in all { block.append(Array(name.utf8), Array(value.utf8)) }
        let head = HTTPHead(fields: block, remoteAddress: nil)
        let collected = Collected()
        return await withCheckedContinuation { (continuation: CheckedContinuation<[Reply], Never>) in
            loop.perform { [self] in
                for (index, body) in bodies.enumerated() {
                    let responder = HTTPResponder { answer in
                        let whole = collected.answers.withLock { answers in
                            answers[index] = answer
                            return answers.count == bodies.count ? answers : nil
                        }
                        guard let whole else { return }
                        continuation.resume(returning: bodies.indices.compactMap { whole[$0].map(Self.reply) })
                    }
                    begin(head, .whole(Array(body.utf8)), responder)
                }
                // A reader that is quicker than the loop would answer one before the next begins.
                _ = store.read({ [loop] _ in loop.wait {} }, completion: { _ in })
            }
        }
    }

    private func begin(_ head: HTTPHead, _ body: HTTPBody, _ responder: HTTPResponder) {
        switch application.begin(head) {
        case .answer(let answer): responder.respond(answer)
        case .read(let byteCountMax, _, let exchange):
            if case .whole(let bytes) = body, bytes.count > byteCountMax {
                exchange.finish(.tooLarge(byteCount: bytes.count), responder)
            } else {
                exchange.finish(body, responder)
            }
        }
    }

    private static func reply(_ answer: HTTPAnswer) -> Reply {
        let pairs = answer.fields.map {
            (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
        }
        return Reply(
            status: answer.status,
            fields: Dictionary(pairs) { $0 + "," + $1 },
            body: answer.body.bytesInMemory
        )
    }

    // MARK: Common first steps

    static func token(_ number: Int) -> String {
        var random = SeededRandom(seed: 0x70CE_0000 + UInt64(number))
        return Hex.encode(random.bytes(count: 32))
    }

    static func device(
        _ number: Int = 1,
        topic: String = "com.example.chat",
        environment: String = "production",
        voIP: Bool = false
    ) throws -> String {
        let bundle = Base64URL.string(try SignedBundle.bytes(topic: topic))
        return
            #"{"token":"\#(token(number))","topic":"\#(topic)","environment":"\#(environment)","bundle":"\#(bundle)""#
            + (voIP ? #","voip-token":"\#(token(number + 1_000))""# : "")
            + #","language":"de-CH","region":"CH","app-version":"4.1"}"#
    }

    func register(
        _ id: String = "d1",
        _ number: Int = 1,
        tenant: String = "acme",
        environment: String = "production",
        voIP: Bool = false
    ) async throws {
        let topic = tenant == "acme" ? "com.example.chat" : "com.example.rival"
        let body = try Self.device(number, topic: topic, environment: environment, voIP: voIP)
        let reply = await send(
            "PUT",
            "/v1/devices/" + id,
            StagedConfiguration.key(tenant, .manage),
            body: body
        )
        #expect(reply.status == 201, "\(reply.text)")
    }

    func post(_ body: String, tenant: String = "acme", _ fields: [(String, String)] = []) async -> Reply {
        await send("POST", "/v1/notifications", StagedConfiguration.key(tenant, .send), body: body, fields)
    }

    func read(_ path: String, tenant: String = "acme") async -> Reply {
        await send("GET", path, StagedConfiguration.key(tenant, .read))
    }

    func manage(_ method: String, _ path: String, tenant: String = "acme", body: String? = nil) async -> Reply {
        await send(method, path, StagedConfiguration.key(tenant, .manage), body: body)
    }

    func queuedCount() async throws -> Int {
        let counts = try await store.counts()
        return counts.reduce(0) { $0 + $1.queued }
    }

    /// Takes what is due in a lane, and ends all of it with this attempt.
    @discardableResult
    func finish(_ lane: Lane = .normal, _ attempt: Attempt, _ verdict: Verdict) async throws -> [LeasedEntry] {
        let now = now
        let until = now.advanced(by: .seconds(60))
        let taken = try await store.take(TakeDemand(lane: lane, limit: 1_000, now: now, leasedUntil: until))
        _ = try await store.markSending(taken.map(\.lease), now: now)
        let outcomes = taken.map { PushStore.Outcome(lease: $0.lease, attempt: attempt, verdict: verdict) }
        _ = try await store.finish(outcomes, now: now)
        return taken
    }
}

private final class Collected: Sendable {
    let answers = Guarded<[Int: HTTPAnswer]>([:])
}

/// Lets the first call through.
private final class Once: Sendable {
    private let isOver = Atomic(false)
    func pass() -> Bool { !isOver.exchange(true, ordering: .relaxed) }
}

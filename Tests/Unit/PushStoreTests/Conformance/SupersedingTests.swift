import APNS
import Envelope
import PushStore
import PushStorePattern
import Testing

/// Retries of entries while something newer that would replace them is out.
struct SupersedingTests {
    private let tenant: TenantID

    init() throws { tenant = try StorePattern.tenant(1) }

    /// Fate of the newer one before the older one's turn.
    enum Newer: CaseIterable, Sendable {
        case sending, sentAtOnce, accepted, delivered, perhapsThere, unknown
        case queued, retried, refused, expired, parked
        case otherWord, withoutWord, otherDevice, otherTopic, older

        var takesThePlace: Bool {
            switch self {
            case .sending, .sentAtOnce, .accepted, .delivered, .perhapsThere, .unknown: true
            default: false
            }
        }
    }

    private func entry(_ number: UInt64, _ newer: Newer? = nil) throws -> NewEntry {
        var entry = try StorePattern.entry(number, device: newer == .otherDevice ? 6 : 5)
        entry.collapseID = try newer == .withoutWord ? nil : CollapseID(newer == .otherWord ? "talk 8" : "talk 7")
        if newer == .otherTopic { entry.topic = try Topic("com.example.other") }
        return entry
    }

    /// Runs the newer one's life; the older one is not due.
    private func live(_ newer: Newer, _ store: any RelayStore) async throws {
        if newer == .sentAtOnce {
            let request = try OutboxRequest(tenant: tenant, idempotency: nil, entries: [try entry(2, newer)])
            _ = try await store.enqueueSending([request], now: .after(1))
            return
        }
        _ = try await store.store(try entry(2, newer), now: .after(1))
        if newer == .queued { return }
        let sent = try #require(try await store.sendAll(now: .after(1)).first)
        switch newer {
        case .queued, .sentAtOnce, .sending, .older: break
        case .accepted, .otherWord, .withoutWord, .otherDevice, .otherTopic:
            _ = try await store.finish(sent, .accepted, now: .after(1))
        case .delivered:
            _ = try await store.finish(sent, .accepted, now: .after(1))
            let receipt = Receipt(tenant: tenant, id: sent.lease.id, time: .after(1))
            #expect(try await store.record([receipt]) == [.recorded])
        case .perhapsThere:
            _ = try await store.finish(sent, .retry(at: .after(900)), connection: .ambiguous, now: .after(1))
        case .unknown: _ = try await store.finish(sent, .dead(.outcomeUnknown), connection: .ambiguous, now: .after(1))
        case .retried: _ = try await store.finish(sent, .retry(at: .after(900)), now: .after(1))
        case .refused: _ = try await store.finish(sent, .dead(.rejected), now: .after(1))
        case .expired: _ = try await store.finish(sent, .retry(at: sent.entry.deadline), now: .after(1))
        case .parked: _ = try await store.finish(sent, .park, now: .after(1))
        }
    }

    @Test(arguments: StoreEngine.all, Newer.allCases)
    func `what has lost its place is not sent where a newer one is out`(_ engine: StoreEngine, _ newer: Newer)
        async throws
    {
        try await engine.with { store in
            if newer == .older {
                _ = try await store.store(try entry(2), now: .after(0))
                _ = try await store.finish(try #require(try await store.sendAll().first), .accepted)
            }
            let id = try await store.store(try entry(1), now: .after(0))[0]
            let first = try #require(try await store.sendAll().first)
            #expect(try await store.finish(first, .retry(at: .after(10))) == .recorded(.queued))
            if newer != .older { try await live(newer, store) }
            let again = try #require(try await store.takeAll(now: .after(10)).first { $0.lease.id == id })
            var lease = again.lease
            lease.yieldsToNewer = true
            let expected: MarkResult = newer.takesThePlace ? .superseded : .sending
            #expect(try await store.markSending([lease], now: .after(10)) == [expected])
            #expect(try await store.state(id) == (newer.takesThePlace ? .dead(.superseded) : .sending))
            let queued = try await store.counts().filter { $0.tenant == tenant }.reduce(0) { $0 + $1.dead }
            let others = newer == .refused || newer == .unknown ? 1 : 0
            #expect(queued == others + (newer.takesThePlace ? 1 : 0))
            #expect(try await store.markSending([lease], now: .after(10)) == [.lost])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `whoever does not ask is sent`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try entry(1), now: .after(0))[0]
            let first = try #require(try await store.sendAll().first)
            _ = try await store.finish(first, .retry(at: .after(10)))
            try await live(.accepted, store)
            #expect(try await store.sendAll(now: .after(10)).map(\.lease.id) == [id])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `of two that are tried again in one batch the newer one is the last`(_ engine: StoreEngine) async throws {
        for isOlderFirst in [true, false] {
            try await engine.with { store in
                let ids = try await store.store(try entry(1), try entry(2), now: .after(0))
                for sent in try await store.sendAll() { _ = try await store.finish(sent, .retry(at: .after(10))) }
                let taken = try await store.takeAll(now: .after(10))
                let order = isOlderFirst ? ids : ids.reversed()
                let leases = order.compactMap { id in
                    var lease = taken.first { $0.lease.id == id }?.lease
                    lease?.yieldsToNewer = true
                    return lease
                }
                let marks = try await store.markSending(leases, now: .after(10))
                #expect(marks == (isOlderFirst ? [.sending, .sending] : [.sending, .superseded]))
            }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `it holds after a restart`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try entry(1), now: .after(0))
            let first = try #require(try await store.sendAll().first)
            _ = try await store.finish(first, .retry(at: .after(10)))
            try await live(.accepted, store)
        } then: { store in
            var lease = try #require(try await store.takeAll(now: .after(10)).first).lease
            lease.yieldsToNewer = true
            #expect(try await store.markSending([lease], now: .after(10)) == [.superseded])
        }
    }
}

import APNS
import Envelope
import HTTP
import PushStore

/// `GET /v1/notifications/{id}`, `/v1/traces/{id}` and `/v1/dead-letters`.
struct NotificationStateHandler: Sendable {
    /// First and replays.
    private static let traceCountMax = 20

    let context: ServiceContext
    let dispatch: any DispatchInterface

    func get(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let tenant = try call.tenant().id
        let found: OutboxEntry?
        if let id = APNSID(call.id) {
            found = try await context.asking { () throws(StoreError) in
                try await context.store.entry(apnsID: id, tenant: tenant)
            }
        } else {
            found = nil
        }
        guard let entry = found else {
            throw Problem(
                .notFound,
                "No such notification is known; states are kept for \(call.settings.limits.retentionDays) days."
            )
        }
        let attempts = try await attempts(entry, tenant)
        let replays = try await replays(of: [entry], tenant)
        return .json(200) { write(entry, attempts, replays, to: &$0) }
    }

    func trace(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let tenant = try call.tenant().id
        var entries: [OutboxEntry] = []
        if let trace = Trace(text: call.id) {
            entries = try await context.asking { () throws(StoreError) in
                try await context.store.entries(trace: trace, tenant: tenant, limit: Self.traceCountMax)
            }
        }
        guard !entries.isEmpty else {
            throw Problem(
                .notFound,
                "No notification of this tenant has this trace; states are kept for \(call.settings.limits.retentionDays) days."
            )
        }
        return try await answer(entries, call)
    }

    /// Notifications with their attempts, in the given order.
    func answer(_ entries: [OutboxEntry], _ call: APICall) async throws(Problem) -> HTTPAnswer {
        let tenant = try call.tenant().id
        let replays = try await replays(of: entries, tenant)
        var attempts: [EntryID: [Attempt]] = [:]
        for entry in entries { attempts[entry.id] = try await self.attempts(entry, tenant) }
        return .json(200) { writer in
            writer.name("notifications")
            writer.array { writer in
                for entry in entries {
                    writer.object { write(entry, attempts[entry.id] ?? [], replays, to: &$0) }
                }
            }
        }
    }

    /// Safe: handlers run on the loop.
    private func write(
        _ entry: OutboxEntry,
        _ attempts: [Attempt],
        _ replays: [EntryID: APNSID],
        to writer: inout JSONWriter
    ) {
        let cause = entry.waitCause ?? (entry.state == .queued ? dispatch.waitCause(of: entry.id) : nil)
        Self.write(entry, attempts.last, replays, waitsFor: cause, to: &writer)
        writer.name("attempts")
        writer.array { writer in
            for attempt in attempts { writer.object { attempt.write(to: &$0) } }
        }
    }

    func list(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let tenant = try call.tenant().id
        let query = try PageQuery(call.query)
        let cursor = query.cursor.map { Cursor(text: $0) }
        let page = try await context.asking { () throws(StoreError) in
            try await context.store.deadLetters(tenant: tenant, after: cursor, limit: query.limit)
        }
        let replays = try await replays(of: page.elements, tenant)
        var last: [EntryID: Attempt] = [:]
        for entry in page.elements where entry.attemptCount > 0 {
            last[entry.id] = try await attempts(entry, tenant).last
        }
        return .json(200) { writer in
            writer.name("dead-letters")
            writer.array { writer in
                for entry in page.elements {
                    writer.object { Self.write(entry, last[entry.id], replays, waitsFor: nil, to: &$0) }
                }
            }
            if let next = page.next { writer.member("next", next.text) }
        }
    }

    private func attempts(_ entry: OutboxEntry, _ tenant: TenantID) async throws(Problem) -> [Attempt] {
        guard entry.attemptCount > 0 else { return [] }
        return try await context.asking { () throws(StoreError) in
            try await context.store.attempts(entry.id, tenant: tenant)
        }
    }

    private func replays(of entries: [OutboxEntry], _ tenant: TenantID) async throws(Problem) -> [EntryID: APNSID] {
        let ids = entries.compactMap(\.replayedAs)
        guard !ids.isEmpty else { return [:] }
        let found = try await context.asking { () throws(StoreError) in
            try await context.store.entries(ids, tenant: tenant)
        }
        return Dictionary(found.compactMap { entry in entry.map { ($0.id, $0.apnsID) } }) { first, _ in first }
    }

    private static func write(
        _ entry: OutboxEntry,
        _ last: Attempt?,
        _ replays: [EntryID: APNSID],
        waitsFor cause: WaitCause?,
        to writer: inout JSONWriter
    ) {
        writer.member("id", entry.apnsID.description)
        writer.member("device", String(decoding: entry.device.bytes, as: UTF8.self))
        writer.member("topic", entry.topic.description)
        writer.member("push-type", entry.pushType.rawValue)
        writer.member("lane", entry.lane.word)
        if let trace = entry.trace { writer.member("trace", trace.text) }
        if let context = entry.traceContext { writer.member(TraceContext.fieldName, context.text) }
        writer.member("state", entry.state.word)
        if case .dead(let reason) = entry.state { writer.member("dead-reason", reason.word) }
        writer.member("accepted", entry.created.text)
        writer.member("changed", entry.changed.text)
        writer.member("deadline", entry.deadline.text)
        if entry.state == .queued { writer.member("due", entry.due.text) }
        if let cause { writer.member("waits-for", cause.word) }
        writer.member("attempt-count", entry.attemptCount)
        if entry.maybeDuplicate { writer.member("maybe-duplicate", true) }
        last?.writeAnswer(to: &writer)
        if let receipt = entry.receipt { writer.member("receipt", receipt.text) }
        if let replay = entry.replayedAs.flatMap({ replays[$0] }) { writer.member("replayed-as", replay.description) }
    }
}

extension Attempt {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("time", time.text)
        writer.member("connection", connection.word)
        writeAnswer(to: &writer)
    }

    fileprivate func writeAnswer(to writer: inout JSONWriter) {
        if let status { writer.member("status", status) }
        if let reason { writer.member("reason", reason) }
        if let uniqueID { writer.member("apns-unique-id", uniqueID) }
    }
}

extension Attempt.Connection {
    fileprivate var word: String {
        switch self {
        case .answered: "answered"
        case .notProcessed: "not-processed"
        case .ambiguous: "ambiguous"
        case .interrupted: "interrupted"
        }
    }
}

extension EntryState {
    var word: String {
        switch self {
        case .queued: "queued"
        case .sending: "sending"
        case .parked: "parked"
        case .accepted: "accepted"
        case .delivered: "delivered"
        case .dead: "dead"
        case .expired: "expired"
        }
    }
}

extension WaitCause {
    var word: String {
        switch self {
        case .device: "device"
        case .credential: "credential"
        case .app: "app"
        case .connection: "connection"
        }
    }
}

extension DeathReason {
    var word: String {
        switch self {
        case .rejected: "rejected"
        case .undeliverable: "undeliverable"
        case .attemptsExhausted: "attempts-exhausted"
        case .corrupt: "corrupt"
        case .outcomeUnknown: "outcome-unknown"
        case .superseded: "superseded"
        }
    }
}

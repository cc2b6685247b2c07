import APNS
import Envelope
import HTTP
import Primitives
import PushStore
import ServiceParts

/// `POST /v1/dead-letters/replay`.
struct ReplayHandler: Sendable {
    let context: ServiceContext
    let dispatch: any DispatchInterface

    /// Replays dead letters as new notifications, with the first's lifetime.
    func post(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let tenant = try call.tenant()
        let storeID = tenant.id
        let asked = try DeadLetterReplay(call.json()).ids
        let now = context.clock.now()
        var random = SystemRandom()
        var letters: [APNSID: OutboxEntry] = [:]
        var replays: [Replay] = []
        var notes: [QueueNote] = []
        for id in asked {
            let found = try await context.asking { () throws(StoreError) in
                try await context.store.entry(apnsID: id, tenant: storeID)
            }
            guard let found else { continue }
            letters[id] = found
            let replay = Replay(
                id: found.id,
                apnsID: APNSID.timeOrdered(now: now, random: &random),
                deadline: Self.deadline(found, now)
            )
            replays.append(replay)
            notes.append(QueueNote(found, replay))
        }
        // Later notifications for their devices queue behind them.
        dispatch.willQueue(notes, tenant: storeID, now: now)
        let results: [ReplayResult]
        do throws(Problem) {
            results = try await context.asking { [replays] () throws(StoreError) in
                guard !replays.isEmpty else { return [] }
                let relay = context.shards.relay
                return try await context.store.replay(replays, tenant: storeID, from: relay, now: now)
            }
        } catch {
            dispatch.didNotQueue(notes)
            throw error
        }
        var outcomes: [EntryID: ReplayResult] = [:]
        for (replay, result) in zip(replays, results) { outcomes[replay.id] = result }
        let lanes = Set(letters.values.filter { outcomes[$0.id]?.newID != nil }.map(\.lane))
        if !lanes.isEmpty { dispatch.wake(lanes) }
        let names = try await names(of: outcomes.values, storeID)
        let new = Set(names.values)
        dispatch.didNotQueue(notes.filter { !new.contains($0.apnsID) })
        let count = outcomes.values.count { $0.newID != nil }
        context.audit("dead-letter-replay", call.grant, [("asked", asked.count), ("replayed", count)])
        return .json(200) { writer in
            writer.name("replays")
            writer.array { writer in
                for id in asked { Self.write(id, letters[id].flatMap { outcomes[$0.id] }, names, to: &writer) }
            }
        }
    }

    /// Repeats the time between acceptance and deadline.
    private static func deadline(_ entry: OutboxEntry, _ now: Timestamp) -> Timestamp {
        let (end, start) = (entry.deadline.milliseconds, entry.created.milliseconds)
        return now.advanced(by: .milliseconds(Int64(clamping: end > start ? end - start : 0)))
    }

    /// A letter replayed before keeps its earlier id.
    private func names(
        of results: some Collection<ReplayResult>,
        _ tenant: TenantID
    ) async throws(Problem) -> [EntryID: APNSID] {
        let ids = results.compactMap(\.newID)
        guard !ids.isEmpty else { return [:] }
        let entries = try await context.asking { () throws(StoreError) in
            try await context.store.entries(ids, tenant: tenant)
        }
        return Dictionary(entries.compactMap { entry in entry.map { ($0.id, $0.apnsID) } }) { first, _ in first }
    }

    private static func write(
        _ id: APNSID,
        _ result: ReplayResult?,
        _ names: [EntryID: APNSID],
        to writer: inout JSONWriter
    ) {
        writer.object { writer in
            writer.member("id", id.description)
            writer.member("result", result?.word ?? ReplayResult.unknown.word)
            if let name = result?.newID.flatMap({ names[$0] }) { writer.member("replayed-as", name.description) }
        }
    }
}

extension ReplayResult {
    fileprivate var newID: EntryID? {
        if case .replayed(let id) = self { id } else { nil }
    }

    fileprivate var word: String {
        switch self {
        case .replayed: "replayed"
        case .notDead: "not-dead"
        case .corrupt: "corrupt"
        case .unknown: "unknown"
        }
    }
}

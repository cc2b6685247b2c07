import Envelope
import PushStore

/// Consequences of an entry's end: a fallback that fires once, and hooks that stay until they are sent.
extension WorkLedger {
    /// Later than any due time of the work.
    private static let end = Timestamp(milliseconds: 1 << 60)

    /// Claims and returns everything whose fallback had not fired.
    static func drainFallbacks(_ engine: any RelayStore) async throws -> [OutboxEntry] {
        var fired: [OutboxEntry] = []
        while true {
            let claimed = try await engine.claimFallbacks(limit: 1_000, now: end)
            fired += claimed.map(\.entry)
            let ends = claimed.map { FallbackOutcome($0, .ended(telling: nil)) }
            try await engine.finishFallbacks(ends, now: end)
            // A store that returns one again would do so for ever.
            if claimed.isEmpty || Set(fired.map(\.id)).count < fired.count { return fired }
        }
    }

    /// Finishes all hooks, and returns their kinds.
    static func drainHooks(_ engine: any RelayStore) async throws -> [EntryID: Set<String>] {
        var drained: [EntryID: Set<String>] = [:]
        while true {
            let hooks = try await engine.takeHooks(limit: 1_000, now: end, leasedUntil: end.advanced(by: .seconds(1)))
            if hooks.isEmpty { return drained }
            for hook in hooks { drained[hook.entry.id, default: []].insert(hook.kind.word) }
            try await engine.finishHooks(hooks.map { HookOutcome($0, .done) })
        }
    }

    /// Checks that nothing whose sending began is claimed again, and only what APNs has.
    mutating func checkFallbacks(_ fired: [OutboxEntry]) -> [String] {
        var faults: [String] = []
        for entry in fired {
            let number = entries[entry.id]?.number ?? 0
            if !claimed.insert(entry.id).inserted { faults.append("\(number): fires again") }
            if entry.state != .accepted { faults.append("\(number): fires as \(entry.state)") }
        }
        return faults
    }

    /// Checks that a hook written with its entry's end is there until it may have been finished, and not after.
    mutating func checkHooks(
        _ found: OutboxEntry,
        _ known: Entry,
        _ drained: Set<String>
    ) throws -> [String] {
        var faults: [String] = []
        let isReported = try WorkRequest.entry(known.number).isReported
        let state = found.state.word
        var due: Set<String> = []
        if isReported, ["dead", "expired", "delivered"].contains(state) { due.insert(state) }
        if known.hooks["fallback"] == .reported { due.insert("fallback") }
        if !known.isVague {
            for kind in due where known.hooks[kind] != .telling && known.hooks[kind] != .told {
                if !drained.contains(kind) { faults.append("\(known.number): the hook \(kind) is gone") }
            }
        }
        let isUncertain = drained.contains("fallback-uncertain")
        if isUncertain, known.hooks["fallback"] != nil {
            faults.append("\(known.number): was sent, and is uncertain")
        }
        let isTold = isUncertain || drained.contains("fallback") || known.hooks["fallback"] != nil
        if known.isFallbackSending, !isTold {
            faults.append("\(known.number): its fallback began, and nothing tells what became of it")
        }
        entries[found.id]?.isFallbackSending = false
        for kind in drained {
            if known.hooks[kind] == .told { faults.append("\(known.number): \(kind) is told again") }
            guard !kind.hasPrefix("fallback"), kind != state else { continue }
            faults.append("\(known.number): \(kind) is told of \(state)")
        }
        // All of them are finished now.
        for kind in due.union(drained) { entries[found.id]?.hooks[kind] = .told }
        return faults
    }
}

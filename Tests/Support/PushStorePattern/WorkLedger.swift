package import PushStore

/// The state that a store must hold after its user died, by the user's lines.
package struct WorkLedger {
    struct Entry {
        let number: UInt64
        let tenant: TenantID
        /// Possible states, by their words; more than one only while a change was under way.
        var states: Set<String> = ["queued"]
        /// Recorded attempts, without one in flight.
        var attemptCount = 0
        /// True if a mark was under way or held, so that it may have been found in flight.
        var mayBeInFlight = false
        /// True if its sender never learned of it, and not all lines about it are known.
        var isVague = false
        /// State of its hooks, by their kinds.
        var hooks: [String: Hook] = [:]
        /// True if its fallback began to be sent, without a line about the end.
        var isFallbackSending = false
        /// True if it was stored as in flight.
        var isHandedOver = false
        /// True if it cannot change any more.
        var isSettled = false
    }

    enum Hook {
        /// A line says that it is there.
        case reported
        /// It may be finished by now.
        case telling
        /// It was finished, or was never there.
        case told
    }

    var entries: [EntryID: Entry] = [:]
    /// Entries whose fallback fired, or may have.
    var claimed: Set<EntryID> = []
    /// Fallbacks that may have begun without a line about it.
    private var openClaimCount = 0
    private var claimFaults: [String] = []
    /// Dispatchers' lines on entries whose sender did not know yet that they are stored.
    private var early: [EntryID: [WorkLine]] = [:]
    private var pending: [UInt64: Int] = [:]
    private var devices: [Int: Set<UInt64?>] = [:]
    private var unchecked: Set<EntryID> = []
    /// Entries by state at their user's death, over all rounds; in flight is a state of its own.
    package private(set) var histogram: [String: Int] = [:]
    /// Entries stored as in flight that still were so at their user's death.
    package private(set) var handedOverInFlightCount = 0
    package var storedCount: Int { entries.count }

    package init() {}

    package mutating func note(_ line: WorkLine) throws {
        if let id = line.entryID, entries[id] == nil {
            early[id, default: []].append(line)
            return
        }
        switch line {
        case .enqueuing(let number, let count): pending[number] = count
        case .stored(let number, let ids): try noteStored(number, ids, state: "queued")
        case .sending(let number, let ids): try noteStored(number, ids, state: "sending")
        case .marking(let id): entries[id]?.mayBeInFlight = true
        case .marked(let id): entries[id]?.states = ["sending"]
        case .finishing(let id, let state): entries[id]?.states.insert(state)
        case .finished(let id, let state):
            entries[id]?.states = [state]
            entries[id]?.attemptCount += 1
            entries[id]?.mayBeInFlight = false
            unchecked.insert(id)
        case .putOff(let id, let state):
            entries[id]?.states = [state]
            entries[id]?.mayBeInFlight = false
            unchecked.insert(id)
        case .receipting(let id): entries[id]?.states.insert("delivered")
        case .receipted(let id): entries[id]?.states = ["delivered"]
        case .claiming(let count): openClaimCount += count
        case .claims(let count): openClaimCount -= count
        case .claimed(let id):
            if !claimed.insert(id).inserted { claimFaults.append("\(entries[id]?.number ?? 0): fires twice") }
            entries[id]?.isFallbackSending = true
        case .reported(let id):
            entries[id]?.isFallbackSending = false
            if entries[id]?.hooks["fallback"] == nil { entries[id]?.hooks["fallback"] = .reported }
        case .telling(let id, let kind): entries[id]?.hooks[kind] = .telling
        case .told(let id, let kind): entries[id]?.hooks[kind] = .told
        case .putting(let device, let version): devices[device, default: [nil]].insert(version)
        case .put(let device, let version): devices[device] = [version]
        case .deleting(let device): devices[device, default: [nil]].insert(nil)
        case .deleted(let device): devices[device] = [nil]
        }
    }

    private mutating func noteStored(_ number: UInt64, _ ids: [EntryID], state: String) throws {
        pending[number] = nil
        for (offset, id) in ids.enumerated() {
            let tenant = try WorkRequest.tenant(number)
            entries[id] = Entry(number: number + UInt64(offset), tenant: tenant, states: [state])
            entries[id]?.mayBeInFlight = state == "sending"
            entries[id]?.isHandedOver = state == "sending"
            unchecked.insert(id)
            for line in early.removeValue(forKey: id) ?? [] { try note(line) }
        }
    }

    /// Checks a store that was opened after its user died, and continues from its state.
    ///
    /// - Parameter all: true to check every entry, not only those that moved since the last check.
    /// - Returns: broken promises; empty for a store that keeps them.
    package mutating func check(
        _ engine: any RelayStore,
        all: Bool
    ) async throws -> [String] {
        for entry in entries.values where !entry.isSettled {
            histogram[entry.states.sorted().joined(separator: " or "), default: 0] += 1
            if entry.isHandedOver, entry.attemptCount == 0, entry.mayBeInFlight { handedOverInFlightCount += 1 }
        }
        var faults = try await checkPending(engine) + claimFaults
        claimFaults = []
        let fallbacks = try await Self.drainFallbacks(engine)
        let hooks = try await Self.drainHooks(engine)
        faults += checkFallbacks(fallbacks)
        var missingCount = 0
        let ids = all ? Array(entries.keys) : entries.filter { !$0.value.isSettled }.map(\.key) + unchecked
        for id in Set(ids) {
            guard let known = entries[id] else { continue }
            guard let found = try await engine.entries([id], tenant: known.tenant)[0] else {
                let way = known.isHandedOver ? ", handed over" : ""
                faults.append("lost: \(known.number)\(way), which was \(known.states.sorted())")
                continue
            }
            if let fault = try await Self.fault(found, known, engine) { faults.append("\(known.number): \(fault)") }
            faults += try checkHooks(found, known, hooks[id] ?? [])
            if found.state == .accepted, try WorkRequest.entry(known.number).fallbackAfter != nil,
                claimed.insert(id).inserted, !known.isVague
            {
                missingCount += 1
            }
            entries[id]?.isVague = false
            entries[id]?.states = [found.state.word]
            entries[id]?.attemptCount = found.attemptCount
            entries[id]?.mayBeInFlight = false
            entries[id]?.isSettled = found.state.isFinal && found.state != .accepted
        }
        unchecked = []
        if missingCount > openClaimCount { faults.append("\(missingCount) fallbacks that nobody claimed are gone") }
        openClaimCount = 0
        return try await faults + checkDevices(engine)
    }

    private static func fault(
        _ found: OutboxEntry,
        _ known: Entry,
        _ engine: any RelayStore
    ) async throws -> String? {
        let expected = try WorkRequest.entry(known.number)
        guard found.apnsID == expected.apnsID, found.device == expected.device, found.trace == expected.trace,
            found.collapseID == expected.collapseID
        else { return "is another entry" }
        if found.state == .delivered, let hash = expected.receiptHash {
            let redemptions = try await engine.redeem([hash], now: StorePattern.start)
            guard redemptions == [.repeated] else { return "has a receipt that is good again" }
        }
        let attempts = try await engine.attempts(found.id, tenant: known.tenant)
        guard attempts.count == found.attemptCount else {
            return "\(attempts.count) attempts written, \(found.attemptCount) counted"
        }
        let moreAttempts = found.attemptCount - known.attemptCount
        guard (0...(known.mayBeInFlight ? 1 : 0)).contains(moreAttempts) else {
            return "has \(moreAttempts) attempts more than were made"
        }
        var allowed = known.states
        // A dispatcher of another shard may have released it without a line.
        if allowed.contains("parked") { allowed.insert("queued") }
        if known.mayBeInFlight || allowed.contains("sending") {
            // An entry in flight is queued again with the same ids and a note, or had its last attempt.
            let isInterrupted = attempts.last?.connection == .interrupted
            let mayGoAgain = expected.collapseID != nil
            if isInterrupted, mayGoAgain, found.maybeDuplicate, found.state == .queued { return nil }
            if isInterrupted, !mayGoAgain || expected.attemptLimit != nil, found.state == .dead(.outcomeUnknown) {
                return nil
            }
        }
        // A retry may have been the last one allowed.
        let isOutcomeUnknown = attempts.last?.isOutcomeUnknown == true
        if allowed.contains("queued"), found.state == .dead(isOutcomeUnknown ? .outcomeUnknown : .attemptsExhausted) {
            return nil
        }
        allowed.remove("sending")
        return allowed.contains(found.state.word) ? nil : "is \(found.state), and was \(known.states.sorted())"
    }

    /// Checks that an unacknowledged request is there whole, or not at all; sent again, it is there once.
    private mutating func checkPending(_ engine: any RelayStore) async throws -> [String] {
        var faults: [String] = []
        for (number, count) in pending {
            let request = try WorkRequest.make(number, count: count)
            switch try await engine.enqueue([request], now: StorePattern.start)[0] {
            case .conflict: faults.append("\(number): a conflict with itself")
            case .completed, .cut: faults.append("\(number): stored in part")
            case .stored(let ids), .duplicate(let ids):
                let found = try await engine.entries(ids, tenant: request.tenant)
                if ids.count != count || found.contains(nil) { faults.append("\(number): in halves") }
                for (offset, id) in ids.enumerated() {
                    entries[id] = Entry(
                        number: number + UInt64(offset),
                        tenant: request.tenant,
                        states: Set(found[offset].map { [$0.state.word] } ?? [])
                    )
                    // A dispatcher may have got it before its sender learned of it.
                    entries[id]?.attemptCount = found[offset]?.attemptCount ?? 0
                    entries[id]?.isVague = true
                }
            }
        }
        pending = [:]
        early = [:]
        return faults
    }

    private mutating func checkDevices(_ engine: any RelayStore) async throws -> [String] {
        var faults: [String] = []
        for (device, versions) in devices {
            let key = try StorePattern.registration(device).key
            let found: UInt64?
            switch try await engine.devices([key])[0] {
            case .missing: found = nil
            case .damaged:
                faults.append("device \(device) is damaged")
                continue
            case .found(let stored):
                let version = stored.appVersion.flatMap { UInt64($0.dropFirst(2)) } ?? 0
                let registration = try StorePattern.registration(device, version: version)
                let bundle = try await engine.bundles(of: [key])[0]
                if !stored.holds(registration) || bundle != registration.bundle {
                    faults.append("device \(device) is mixed up")
                }
                found = version
            }
            if !versions.contains(found) { faults.append("device \(device) is \(found ?? 0), not of \(versions)") }
            devices[device] = [found]
        }
        return faults
    }
}

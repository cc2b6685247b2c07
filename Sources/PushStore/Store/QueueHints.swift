internal import Platform

/// Hints of the running transaction, by the owner of the entries' shards.
struct QueueHints {
    private var listeners = QueueListeners()
    private var all: [(owner: RelayID, hint: QueueHint)] = []

    mutating func begin(_ listeners: QueueListeners) { self.listeners = listeners }

    /// False where `add` would be in vain.
    func isHeard(by relay: RelayID) -> Bool { listeners.contains(relay) }

    mutating func add(_ entries: [RelayID: [NewEntry]], of tenant: TenantID) {
        for (owner, entries) in entries { all.append((owner, QueueHint(tenant: tenant, entries: entries))) }
    }

    func notify() { for (owner, hint) in all { listeners.notify(owner, hint) } }

    mutating func end() { if !all.isEmpty { all = [] } }
}

/// Relays of this process that hear of others' entries.
struct QueueListeners {
    private var listeners: [RelayID: @Sendable (QueueHint) -> Void] = [:]

    func contains(_ relay: RelayID) -> Bool { !listeners.isEmpty && listeners[relay] != nil }

    mutating func set(_ listener: (@Sendable (QueueHint) -> Void)?, of relay: RelayID) { listeners[relay] = listener }

    func notify(_ relay: RelayID, _ hint: QueueHint) { listeners[relay]?(hint) }
}

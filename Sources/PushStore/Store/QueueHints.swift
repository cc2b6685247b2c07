internal import Platform

/// Hints of the running transaction, by the owner of the entries' shards.
struct QueueHints {
    private(set) var all: [(owner: RelayID, hint: QueueHint)] = []

    var isEmpty: Bool { all.isEmpty }

    mutating func add(_ entries: [RelayID: [NewEntry]], of tenant: TenantID) {
        for (owner, entries) in entries { all.append((owner, QueueHint(tenant: tenant, entries: entries))) }
    }

    mutating func removeAll() { if !all.isEmpty { all = [] } }
}

/// Relays of this process that hear of others' entries.
struct QueueListeners {
    private var listeners: [RelayID: @Sendable (QueueHint) -> Void] = [:]

    mutating func set(_ listener: (@Sendable (QueueHint) -> Void)?, of relay: RelayID) { listeners[relay] = listener }

    func notify(_ hints: QueueHints) {
        for (owner, hint) in hints.all { listeners[owner]?(hint) }
    }
}

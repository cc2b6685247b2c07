import APNSProvider

/// Free streams of each client, less those held for chosen notifications.
///
/// Only a notification with a stream is marked: one `sending` on disk at a crash may have arrived.
struct ClientRooms: Sendable {
    private struct Entry {
        var freeCount = 0
        /// Chosen and not handed in.
        var heldCount = 0
        /// Notifications are postponed on disk.
        var isUnreachable = false
        /// Notifications are parked and need no room.
        var isSuspended = false
    }

    private var entries: [Int: Entry] = [:]

    /// Sets a client's room; nil removes it.
    mutating func update(_ client: Int, _ room: ClientRoom?) {
        guard let room else {
            entries[client] = nil
            return
        }
        var entry = Entry(heldCount: entries[client]?.heldCount ?? 0)
        switch room {
        case .open(let count): entry.freeCount = count
        case .connecting: break
        case .unreachable: entry.isUnreachable = true
        case .suspended: entry.isSuspended = true
        }
        entries[client] = entry
    }

    /// True if one more may be chosen. Nil or an unknown client sends nothing, so needs no room.
    func admits(_ client: Int?) -> Bool {
        guard let client, let entry = entries[client] else { return true }
        return entry.freeCount > entry.heldCount || entry.isUnreachable || entry.isSuspended
    }

    func hasStreams(_ client: Int, count: Int) -> Bool {
        guard let entry = entries[client] else { return false }
        return entry.freeCount - entry.heldCount >= count
    }

    func isUnreachable(_ client: Int?) -> Bool { client.flatMap { entries[$0]?.isUnreachable } ?? false }

    mutating func hold(_ client: Int?) {
        guard let client, var entry = entries[client] else { return }
        entry.heldCount += 1
        entries[client] = entry
    }

    mutating func release(_ client: Int?, isHandedIn: Bool) {
        // Changed in a copy: a dictionary's element in place costs an allocation.
        guard let client, var entry = entries[client] else { return }
        entry.heldCount -= 1
        if isHandedIn { entry.freeCount -= 1 }
        entries[client] = entry
    }
}

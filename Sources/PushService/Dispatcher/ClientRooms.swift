import APNSProvider

/// How many more notifications each client has a stream for, less those that were chosen and that it does not have yet. A
/// value.
///
/// One without room is not marked: what is `sending` on the disk when the process dies may have arrived.
struct ClientRooms: Sendable {
    private struct Entry {
        var freeCount = 0
        /// Chosen, and not handed in.
        var heldCount = 0
        /// It is pointless to wait: what comes is put off on the disk.
        var isUnreachable = false
        /// What comes is parked, and needs no room.
        var isSuspended = false
    }

    private var entries: [Int: Entry] = [:]

    /// - Parameters:
    ///   - client: its number.
    ///   - room: as it says now; nil: there is no such client any more, and what was for it is decided anew.
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

    /// Whether one more may be chosen. nil, and a client that is not known, needs no room: nothing will be sent.
    func admits(_ client: Int?) -> Bool {
        guard let client, let entry = entries[client] else { return true }
        return entry.freeCount > entry.heldCount || entry.isUnreachable || entry.isSuspended
    }

    /// Whether so many more have a stream.
    func hasStreams(_ client: Int, count: Int) -> Bool {
        guard let entry = entries[client] else { return false }
        return entry.freeCount - entry.heldCount >= count
    }

    func isUnreachable(_ client: Int?) -> Bool { client.flatMap { entries[$0]?.isUnreachable } ?? false }

    mutating func hold(_ client: Int?) { if let client { entries[client]?.heldCount += 1 } }

    /// One that was chosen goes out, or will not.
    mutating func release(_ client: Int?, isHandedIn: Bool) {
        guard let client, entries[client] != nil else { return }
        entries[client]?.heldCount -= 1
        if isHandedIn { entries[client]?.freeCount -= 1 }
    }
}

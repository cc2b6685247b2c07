internal import Envelope

extension StoreWriter {
    /// Acknowledges a restore, or refuses writes until that is done.
    ///
    /// - Parameter queue: nil: undecided.
    /// - Throws: disk errors; then the next opening counts as restored again.
    func settleRestore(_ queue: RestoredQueue?, now: Timestamp) throws(StoreError) {
        guard let queue else { return hold() }
        var last: Int64 = 0
        while true {
            var found: [Int64] = []
            try alone { [last] () throws(StoreError) in
                found = try self.sql("SELECT entry FROM waiting WHERE entry > ? ORDER BY entry LIMIT 1000").all(
                    [.integer(last)]
                ) { $0.integer(0) }
                for id in found { try self.settleRestored(id, queue, now: now) }
            }
            guard let end = found.last else { break }
            last = end
        }
        try alone { () throws(StoreError) in
            if queue == .drop { try self.sql("DELETE FROM fallback").run([]) }
            try self.sql("DELETE FROM meta WHERE name = 'restored'").run([])
        }
    }

    private func settleRestored(_ id: Int64, _ queue: RestoredQueue, now: Timestamp) throws(StoreError) {
        switch queue {
        // A receipt for the first push then ends it without a second.
        case .send: try sql("UPDATE entry SET maybe_duplicate = 1 WHERE id = ?").run([.integer(id)])
        case .drop:
            guard let known = EntryID(value: id), let standing = try standing(known), standing.state.isWaiting else {
                return try setAside(id, now: now)
            }
            try end(standing, as: .dead(.outcomeUnknown), now: now)
        }
    }
}

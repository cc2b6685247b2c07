internal import Envelope

/// Row of `waiting`, by which the queue and deadlines find an entry.
struct Waiting {
    /// Tenant's number.
    let tenant: Int64
    let lane: Lane
    let isParked: Bool
    let isTried: Bool
    let due: Timestamp
    let deadline: Timestamp
}

extension Waiting {
    init(_ entry: NewEntry, tenant: Int64, now: Timestamp) {
        self.init(
            tenant: tenant,
            lane: entry.lane,
            isParked: false,
            isTried: false,
            due: now,
            deadline: entry.deadline
        )
    }
}

/// Lists of queued, parked and dead entries. Most entries are none of these and cost nothing here.
extension StoreWriter {
    /// Lists an entry that begins to wait.
    func list(_ id: Int64, _ waiting: Waiting) throws(StoreError) {
        let row = hot.insertWaiting
        row.bind(1, id)
        row.bind(2, waiting.tenant)
        row.bind(3, Int64(waiting.lane.rawValue))
        row.bind(4, (waiting.isParked ? EntryState.Code.parked : .queued).rawValue)
        row.bind(5, waiting.isTried ? 1 : 0)
        row.bind(6, waiting.due.number)
        row.bind(7, waiting.deadline.number)
        try row.runBound()
    }

    func unlist(_ id: Int64) throws(StoreError) {
        hot.deleteWaiting.bind(1, id)
        try hot.deleteWaiting.runBound()
    }

    func listDead(_ id: Int64, tenant: Int64) throws(StoreError) {
        try sql("INSERT OR IGNORE INTO dead (tenant, entry) VALUES (?, ?)").run([.integer(tenant), .integer(id)])
    }

    func list(
        _ standing: EntryStanding,
        as settlement: Settlement,
        lane: Lane,
        now: Timestamp
    ) throws(StoreError) {
        switch settlement.state {
        case .queued, .parked:
            try list(
                standing.id.value,
                Waiting(
                    tenant: standing.tenant,
                    lane: lane,
                    isParked: settlement.state == .parked,
                    isTried: true,
                    due: settlement.due ?? now,
                    deadline: standing.deadline
                )
            )
        case .dead: try listDead(standing.id.value, tenant: standing.tenant)
        case .sending, .accepted, .delivered, .expired: break
        }
    }
}

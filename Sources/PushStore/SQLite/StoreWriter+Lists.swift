internal import Envelope

/// An entry that waits, as the queue and the deadlines find it: a row of `waiting`.
struct Waiting {
    /// By number.
    let tenant: Int64
    let lane: Lane
    let isParked: Bool
    let isTried: Bool
    let due: Timestamp
    let deadline: Timestamp
}

extension Waiting {
    /// One that is stored as queued.
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

/// What is queued, parked or dead is listed: most of what is stored is neither, and costs nothing here.
extension StoreWriter {
    /// `id` is of an entry that waits from now on, and is not listed.
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

    /// It waits no more. `id` is as it is in the file.
    func unlist(_ id: Int64) throws(StoreError) {
        hot.deleteWaiting.bind(1, id)
        try hot.deleteWaiting.runBound()
    }

    func listDead(_ id: Int64, tenant: Int64) throws(StoreError) {
        try sql("INSERT OR IGNORE INTO dead (tenant, entry) VALUES (?, ?)").run([.integer(tenant), .integer(id)])
    }

    /// What was on its way, and has been tried, is from now on what an attempt made of it.
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

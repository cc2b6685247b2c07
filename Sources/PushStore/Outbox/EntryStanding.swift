package import Envelope

/// Part of an entry that a change of state needs.
package struct EntryStanding: Hashable {
    package let id: EntryID
    /// By number.
    package let tenant: Int64
    package let lane: Lane
    package let state: EntryState
    package let attemptCount: Int
    package let attemptLimit: Int?
    package let deadline: Timestamp
    package let maybeDuplicate: Bool
    /// Zero for an engine whose marks do not compare it.
    package var due = Timestamp(milliseconds: 0)
    /// True if a receipt, fallback or hook may depend on it.
    package var mayBeWatched = true

    package init(
        id: EntryID,
        tenant: Int64,
        lane: Lane,
        state: EntryState,
        attemptCount: Int,
        attemptLimit: Int?,
        deadline: Timestamp,
        maybeDuplicate: Bool,
        due: Timestamp = Timestamp(milliseconds: 0),
        mayBeWatched: Bool = true
    ) {
        self.id = id
        self.tenant = tenant
        self.lane = lane
        self.state = state
        self.attemptCount = attemptCount
        self.attemptLimit = attemptLimit
        self.deadline = deadline
        self.maybeDuplicate = maybeDuplicate
        self.due = due
        self.mayBeWatched = mayBeWatched
    }

    static let columns = "id, tenant, lane, state, reason, attempts, attempt_limit, deadline, maybe_duplicate"
}

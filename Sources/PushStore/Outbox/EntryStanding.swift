internal import Envelope

/// Part of an entry that a change of state needs.
struct EntryStanding: Hashable {
    let id: EntryID
    /// By number.
    let tenant: Int64
    let lane: Lane
    let state: EntryState
    let attemptCount: Int
    let attemptLimit: Int?
    let deadline: Timestamp
    let maybeDuplicate: Bool
    /// True if a receipt, fallback or hook may depend on it.
    var mayBeWatched = true

    static let columns = "id, tenant, lane, state, reason, attempts, attempt_limit, deadline, maybe_duplicate"
}

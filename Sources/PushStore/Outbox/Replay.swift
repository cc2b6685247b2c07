package import APNS
package import Envelope

package enum ReceiptResult: Equatable, Sendable {
    /// The first one.
    case recorded
    /// A repetition; the first one's time stays.
    case repeated
    /// Entry never sent, or ended otherwise; nothing changes.
    case implausible
    /// No such entry of the tenant.
    case unknown
}

package enum ReplayResult: Equatable, Sendable {
    /// New entry; a repeated request gets the same.
    case replayed(EntryID)
    case notDead
    /// Nothing sendable is left.
    case corrupt
    /// No such entry of the tenant.
    case unknown
}

package struct Replay: Sendable {
    package let id: EntryID
    /// New one: APNs has had the old.
    package let apnsID: APNSID
    package let deadline: Timestamp

    package init(id: EntryID, apnsID: APNSID, deadline: Timestamp) {
        self.id = id
        self.apnsID = apnsID
        self.deadline = deadline
    }
}

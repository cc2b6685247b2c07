package import APNS
package import Envelope

/// What became of a receipt.
package enum ReceiptResult: Equatable, Sendable {
    /// The first one.
    case recorded
    /// There was one before; that one's time stays.
    case repeated
    /// It was never sent, or had ended otherwise: the receipt changes nothing.
    case implausible
    /// No such entry of this tenant's.
    case unknown
}

/// What became of a dead letter that was to be sent again.
package enum ReplayResult: Equatable, Sendable {
    /// As this one, which starts anew; asked again, the answer is the same.
    case replayed(EntryID)
    /// It is not dead.
    case notDead
    /// There is nothing left that could be sent.
    case corrupt
    /// No such entry of this tenant's.
    case unknown
}

/// A dead letter that is to be sent again.
package struct Replay: Sendable {
    package let id: EntryID
    /// Of the new try: APNs has had the old one.
    package let apnsID: APNSID
    package let deadline: Timestamp

    package init(id: EntryID, apnsID: APNSID, deadline: Timestamp) {
        self.id = id
        self.apnsID = apnsID
        self.deadline = deadline
    }
}

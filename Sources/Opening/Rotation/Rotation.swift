public import Envelope

/// What became of a rotation that is due each week.
public enum Rotation: Equatable, Sendable {
    /// The prekeys are good for now.
    case notDue
    /// There are new prekeys, and a bundle to publish.
    case rotated
    /// Nothing was done, and time should be confirmed: until then no old prekey is destroyed, and new ones may not be made.
    /// It was confirmed last at this time; nil for never.
    case clockUnconfirmed(since: Timestamp?)
}

public import Envelope

/// Result of the weekly rotation.
public enum Rotation: Equatable, Sendable {
    /// Prekeys recent enough.
    case notDue
    /// There are new prekeys, and a bundle to publish.
    case rotated
    /// Nothing was done; time should be confirmed. Until then no old prekey is destroyed, and new ones may not be made.
    /// Nil if time was never confirmed.
    case clockUnconfirmed(since: Timestamp?)
}

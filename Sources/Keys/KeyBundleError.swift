public import Envelope

/// Why a bundle is refused. In the order of the checks, which is that of docs/protocol.md.
public enum KeyBundleError: Error, Equatable {
    /// Not the bytes of a bundle.
    case malformed
    /// A version from the future.
    case unsupportedVersion(UInt8)
    /// Signed by another identity than the pinned one: a key change, or somebody in between. Never accept it silently.
    case otherIdentity
    /// Made for another app.
    case otherTopic
    /// A cipher suite from the future. Its entry cannot be passed over, because the length of its key is not known.
    case unsupportedSuite(UInt8)
    /// Not signed by the identity it names.
    case badSignature
    /// Older than a bundle that this sender has seen.
    case rolledBack(epoch: UInt64, pinnedEpoch: UInt64)
    /// Two bundles of one epoch: the device's state was copied, or its identity is in two hands. Tell the user.
    case equivocation(epoch: UInt64)
    /// Offers a lower suite than an earlier bundle did. Refused until somebody decides otherwise and resets the pin.
    case suiteDowngrade(from: UInt8, to: UInt8)
    /// A validity of more than 60 days, or one that ends before it begins.
    case validityTooLong
    /// The sender's clock is behind, or the device's ahead.
    case notYetValid(from: Timestamp)
    /// The app has not run for so long that its keys ran out.
    case expired(at: Timestamp)
    /// A prekey that would give no secrecy.
    case lowOrderPrekey
}

public import Envelope

/// Reason to refuse a bundle, in the order of checks of docs/protocol.md.
public enum KeyBundleError: Error, Equatable {
    /// Not a bundle's bytes.
    case malformed
    /// Newer version.
    case unsupportedVersion(UInt8)
    /// Another identity than pinned: a key change, or a third party. Never accept it silently.
    case otherIdentity
    /// For another app.
    case otherTopic
    /// Unknown suite. Its entry cannot be skipped: the key length is unknown.
    case unsupportedSuite(UInt8)
    /// Not signed by its identity.
    case badSignature
    /// Older than one already seen.
    case rolledBack(epoch: UInt64, pinnedEpoch: UInt64)
    /// Two bundles of one epoch: copied state, or a stolen identity. Warn the user.
    case equivocation(epoch: UInt64)
    /// Lower suite than before. Refused until the pin is reset.
    case suiteDowngrade(from: UInt8, to: UInt8)
    /// Validity over 60 days, or negative.
    case validityTooLong
    /// Sender's clock behind, or device's ahead.
    case notYetValid(from: Timestamp)
    /// App not run until its keys expired.
    case expired(at: Timestamp)
    /// Prekey without secrecy.
    case lowOrderPrekey
}

extension KeyBundleError {
    /// As docs/protocol.md, section 3, calls it.
    package var name: String {
        switch self {
        case .malformed: "malformed"
        case .unsupportedVersion: "unsupported-version"
        case .unsupportedSuite: "unsupported-suite"
        case .otherIdentity: "other-identity"
        case .otherTopic: "other-topic"
        case .badSignature: "bad-signature"
        case .rolledBack: "rolled-back"
        case .equivocation: "equivocation"
        case .suiteDowngrade: "suite-downgrade"
        case .validityTooLong: "validity-too-long"
        case .notYetValid: "not-yet-valid"
        case .expired: "expired"
        case .lowOrderPrekey: "low-order-prekey"
        }
    }
}

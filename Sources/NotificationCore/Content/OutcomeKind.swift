import Envelope
public import Opening

/// Outcome of a push without contents: a row in the table of shown content, and a word in the notification's user info
/// (docs/protocol.md, section 13).
///
/// The order is that of `OutcomeCounts`' file: append new ones.
public enum OutcomeKind: String, Hashable, Sendable, CaseIterable {
    /// Message shown, new or replacing another.
    case opened
    /// Removes a notification.
    case remove
    /// Sets the badge.
    case badge
    /// Hands the app a call.
    case call
    /// Delivery test; shows no sender's text.
    case test
    /// No sealed field.
    case notSealed = "not-sealed"
    /// Not from a contact for this device.
    case malformed
    /// Newer version.
    case unsupported
    /// Prekey unknown to this device.
    case unknownKey = "unknown-key"
    /// Destroyed prekey.
    case staleKey = "stale-key"
    /// Opens once the device is unlocked.
    case locked
    /// Unreadable keys.
    case keysUnavailable = "keys-unavailable"
    /// Valid signature of an unknown sender.
    case unverifiedSender = "unverified-sender"
    /// Expired.
    case expired
    /// From the future, by the device's clock.
    case clockUntrusted = "clock-untrusted"
    /// Too old to tell.
    case tooOld = "too-old"
    /// Seen before.
    case replay
    /// Replay window unusable.
    case storeUnavailable = "store-unavailable"
    /// Operation beyond the contact's rights.
    case notPermitted = "not-permitted"
    /// Superseded by a later change.
    case superseded
    /// Web Push.
    case unauthenticated
    /// Time ended first.
    case notOpenedInTime = "not-opened-in-time"
    /// Left to the app.
    case leftToApp = "left-to-app"
    /// Shown without some or all attachments.
    case openedWithoutAttachments = "opened-without-attachments"
    /// Message of a muted conversation, with or without attachments.
    case muted
}

extension Outcome {
    /// Outcome without contents.
    public var kind: OutcomeKind {
        switch self {
        case .opened(let opened):
            switch opened.message.operation {
            case .show, .replace: .opened
            case .remove: .remove
            case .badge: .badge
            case .call: .call
            case .test: .test
            }
        case .notSealed: .notSealed
        case .malformed: .malformed
        case .unsupported: .unsupported
        case .unknownKey: .unknownKey
        case .staleKey: .staleKey
        case .locked: .locked
        case .keysUnavailable: .keysUnavailable
        case .unverifiedSender: .unverifiedSender
        case .expired: .expired
        case .clockUntrusted: .clockUntrusted
        case .tooOld: .tooOld
        case .replay: .replay
        case .storeUnavailable: .storeUnavailable
        case .notPermitted: .notPermitted
        case .superseded: .superseded
        case .unauthenticated: .unauthenticated
        }
    }
}

import Envelope
public import Opening

/// What became of a push, without what was in it: one row each in the table of what is shown, and the word that the app
/// finds in the notification's user info (docs/protocol.md, section 13). What opened is told apart by its operation.
///
/// Their order is that of the counts in `OutcomeCounts`' file: new ones go to the end.
public enum OutcomeKind: String, Hashable, Sendable, CaseIterable {
    /// A message to show, or one that takes the place of another.
    case opened
    /// Takes a notification off the screen.
    case remove
    /// Sets the number on the app's icon.
    case badge
    /// Hands a call to the app.
    case call
    /// Checks the way, and shows nothing of its sender's.
    case test
    /// No sealed field.
    case notSealed = "not-sealed"
    /// Not what any contact sealed for this device.
    case malformed
    /// Made by a newer version.
    case unsupported
    /// Sealed to a prekey that this device never had.
    case unknownKey = "unknown-key"
    /// Sealed to a prekey that was destroyed.
    case staleKey = "stale-key"
    /// Can be opened once the device is unlocked.
    case locked
    /// The device's keys could not be read.
    case keysUnavailable = "keys-unavailable"
    /// Well signed by a stranger.
    case unverifiedSender = "unverified-sender"
    /// Its time had passed.
    case expired
    /// From the future, by the device's clock.
    case clockUntrusted = "clock-untrusted"
    /// As old as what had to be forgotten.
    case tooOld = "too-old"
    /// Seen before.
    case replay
    /// The replay window could not be used.
    case storeUnavailable = "store-unavailable"
    /// An operation that this contact may not use.
    case notPermitted = "not-permitted"
    /// A later change was there first.
    case superseded
    /// Opened as Web Push.
    case unauthenticated
    /// The time was over before the push was opened.
    case notOpenedInTime = "not-opened-in-time"
    /// Left to the app, which said that it takes messages itself.
    case leftToApp = "left-to-app"
    /// A message that is shown without its attachments, or without some of them.
    case openedWithoutAttachments = "opened-without-attachments"
}

extension Outcome {
    /// The outcome without its contents.
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

// Reasons for the defaults:
//
// - Opened messages sound: a contact sent them, in time, once.
// - Likely messages that cannot be opened here sound too. That helps no relay: without `mutable-content` it rings as it
//   likes.
// - All else is silent, so that floods wake no one; certain junk and late messages do not light the screen.
// - Suppressed: copies, superseded changes, effects of `remove` and `badge`. Without the entitlement the neutral text
//   stands in, since iOS would show the push's.
extension DisplayPolicy {
    static let defaults: [OutcomeKind: Row] = [
        .opened: Row(sound: .messageOrDefault),
        .remove: Row(text: .neutral, level: .passive, isSuppressed: true),
        .badge: Row(text: .neutral, level: .passive, isSuppressed: true),
        .call: Row(sound: .default),
        .test: Row(),
        .notSealed: Row(),
        .malformed: Row(level: .passive),
        .unsupported: Row(text: .updateNeeded),
        .unknownKey: Row(sound: .default),
        .staleKey: Row(sound: .default),
        .locked: Row(text: .unlockNeeded, sound: .default),
        .keysUnavailable: Row(sound: .default),
        .unverifiedSender: Row(),
        .expired: Row(text: .expired, level: .passive),
        .clockUntrusted: Row(),
        .tooOld: Row(text: .neutral, level: .passive, isSuppressed: true),
        .replay: Row(text: .neutral, level: .passive, isSuppressed: true),
        // Perhaps a replay of any age: silent.
        .storeUnavailable: Row(),
        .notPermitted: Row(text: .neutral, level: .passive, isSuppressed: true),
        .superseded: Row(text: .neutral, level: .passive, isSuppressed: true),
        .unauthenticated: Row(),
        .notOpenedInTime: Row(sound: .default),
        .leftToApp: Row(text: .neutral, level: .passive, isSuppressed: true),
        .muted: Row(level: .passive),
    ]
}

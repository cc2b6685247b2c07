// Why what is shown by default:
//
// - A message that opened is heard: a contact sent it, in time, once.
// - What may well be a contact's message, and cannot be opened on this device now, is heard too: the person should look.
//   Junk that looks like it gives a relay no power that it lacks: without `mutable-content` it rings as it likes.
// - Anything else that is not a message of a contact's is silent, so that a flood of it wakes nobody. What can only be
//   junk, or came too late, does not light up the screen either.
// - What the person has seen already, or must not see, is suppressed: a second copy, a change that a later one overtook,
//   the effects of `remove` and `badge`. As iOS would show the relay's words instead, it becomes the neutral text without
//   the entitlement.
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
        // It may be new or a replay of any age: shown, and not heard.
        .storeUnavailable: Row(),
        .notPermitted: Row(text: .neutral, level: .passive, isSuppressed: true),
        .superseded: Row(text: .neutral, level: .passive, isSuppressed: true),
        .unauthenticated: Row(),
        .notOpenedInTime: Row(sound: .default),
        .leftToApp: Row(text: .neutral, level: .passive, isSuppressed: true),
    ]
}

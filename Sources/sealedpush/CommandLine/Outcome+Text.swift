import Keys
import Opening
import WebPush

extension Outcome {
    /// For a tester; a phone shows the app's placeholder.
    var sentence: String {
        switch self {
        case .opened: "opened"
        case .notSealed: "the payload has no \"sealed\" field; was it made by 'sealedpush seal'?"
        case .malformed:
            "nothing that a trusted sender sealed for this device: changed on the way, made for another app, or not "
                + "signed rightly"
        case .unsupported: "made by a newer version; update this program"
        case .unknownKey: "sealed for another device, or to a prekey that this device no longer has"
        case .staleKey: "sealed to a prekey that this device destroyed; send it the device's new bundle"
        case .locked: "sealed to a prekey that can be read only while the device is unlocked"
        case .unverifiedSender(let key): "well signed, but by a sender that is not trusted here: \(key.text)"
        case .expired: "expired; it must not be shown any more"
        case .clockUntrusted: "sent more than five minutes in the future; check both clocks"
        case .tooOld: "as old as messages of this sender that the device had to forget"
        case .replay: "opened before"
        case .storeUnavailable: "the replay window could not be used, so that nothing may count as new"
        case .notPermitted:
            "an operation that this sender has no right to; for calls, --senders is a contact list that gives it, as "
                + "'open --help' says"
        case .superseded: "a later change of the same message was there first"
        case .unauthenticated: "a Web Push message, which nobody signed"
        case .keysUnavailable: "the device's keys could not be read"
        }
    }
}

extension WebPushError {
    /// More than a device says, because a tester has the keys.
    var sentence: String {
        switch self {
        case .fieldTooLong, .notBase64URL, .record:
            "the \"webpush\" field is not base64url of one aes128gcm record of at most 4096 bytes"
        case .notOpened: "encrypted for another subscription, or changed on the way"
        case .text: "it was encrypted for this subscription, and holds no text that could be shown"
        }
    }
}

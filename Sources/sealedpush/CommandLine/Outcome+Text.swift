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
            "not sealed for this device by a trusted sender: changed on the way, made for another app, or wrongly "
                + "signed"
        case .unsupported: "made by a newer version; update this program"
        case .unknownKey: "sealed for another device, or to a prekey that this device no longer has"
        case .staleKey: "sealed to a prekey that this device destroyed; send it the device's new bundle"
        case .locked: "sealed to a prekey that can be read only while the device is unlocked"
        case .unverifiedSender(let key): "well signed, but by a sender that is not trusted here: \(key.text)"
        case .expired: "expired; it must not be shown any more"
        case .clockUntrusted: "dated more than five minutes in the future; check both clocks"
        case .tooOld: "too old: the device no longer knows which messages of that time it has shown"
        case .replay: "opened before"
        case .storeUnavailable: "the replay window could not be used, so nothing counts as new"
        case .notPermitted:
            "an operation that this sender has no right to; for calls, --senders is a contact list that gives it, as "
                + "'open --help' shows"
        case .superseded: "a later change of the same message came first"
        case .unauthenticated: "a Web Push message, which has no signature"
        case .keysUnavailable: "the device's keys could not be read"
        }
    }
}

extension WebPushError {
    /// More than on a device: a tester has the keys.
    var sentence: String {
        switch self {
        case .fieldTooLong, .notBase64URL, .record:
            "the \"webpush\" field is not base64url of one aes128gcm record of at most 4096 bytes"
        case .notOpened: "encrypted for another subscription, or changed on the way"
        case .text: "encrypted for this subscription, but without a text to show"
        }
    }
}

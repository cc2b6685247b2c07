import CommandLineTool
import Envelope
import Keys
import Sealing

extension SealingError {
    var sentence: String {
        switch self {
        case .message(.tooLong(let excess)):
            "the message is \(excess) bytes too long; shorten it, or pass --too-long shorten"
        case .message(.noRoomForAttachments(let byteCount, let roomByteCount)):
            """
            the attachments take \(byteCount) bytes, and there is room for \(roomByteCount); \
            send fewer, or shorten their URLs and names
            """
        case .message(.noText): "the message has neither a title nor a body, and iOS shows nothing without text"
        case .message(.invalid(let member)):
            "the message's \"\(member)\" is out of its range; see docs/protocol.md, section 6"
        case .message(.containsNUL): "the message contains NUL, which cannot be shown; remove it"
        case .message(.malformed), .message(.unsupported): "the message cannot be encoded"
        case .lifetime(let lifetimeMax):
            "--lifetime must be more than nothing and at most \(lifetimeMax.components.seconds / 86_400)d"
        case .callLifetime(let lifetimeMax):
            """
            a call may ring for \(lifetimeMax.components.seconds)s at most: pass --lifetime \(lifetimeMax.components.seconds)s or \
            less, or seal a message that is no call
            """
        case .lifetimeMax(let cap): "no device takes lifetimes beyond \(cap.components.seconds / 86_400)d"
        case .sentAt: "this machine's clock shows no time; set it"
        case .otherSuite: "the message was prepared for another cipher suite than this device's; seal it again"
        case .prekeyExpired: "the device's prekey has expired; get a new bundle"
        case .expired: "the message has expired; no device would show it"
        case .randomSourceFailed:
            "this machine's source of random bytes is broken; nothing sealed with it would be secret"
        case .unusablePrekey: "the device's prekey gives no secrecy; get a new bundle"
        }
    }
}

extension RecipientError {
    var sentence: String {
        switch self {
        case .noPrekey: "this bundle has no prekey of the wanted protection class"
        case .bundle(let error): error.sentence
        case .pins(let error): error.sentence
        }
    }
}

extension KeyBundleError {
    fileprivate var sentence: String {
        switch self {
        case .malformed: "not a well-formed key bundle; fetch it again"
        case .unsupportedVersion(let version): "a key bundle of version \(version), which is newer than this program"
        case .unsupportedSuite(let suite): "this bundle uses cipher suite \(suite), which is newer than this program"
        case .otherIdentity:
            "this bundle belongs to another identity than the pinned one: the device was reset, or the bundle was "
                + "replaced on the way; compare identities over another channel before you pin a new one"
        case .otherTopic: "this bundle was made for another app; check --topic"
        case .badSignature: "this bundle is not signed by its identity; it was changed on the way, fetch it again"
        case .rolledBack(let epoch, let pinnedEpoch):
            "this bundle is older (epoch \(epoch)) than one that was used before (epoch \(pinnedEpoch)); fetch it again, and "
                + "if that does not help, its source hands out old bundles"
        case .equivocation(let epoch):
            "this is not the bundle of epoch \(epoch) that was used before: two devices have one identity, or its key"
                + " was copied; ask the device's owner"
        case .suiteDowngrade(let from, let to):
            "this bundle offers cipher suite \(to), and an earlier one offered \(from): it would protect less; ask the device's "
                + "owner"
        case .validityTooLong: "this bundle claims to be valid for longer than 60 days, which no device may do"
        case .notYetValid: "this bundle is not valid yet; check this machine's clock"
        case .expired: "this bundle has expired; the device must run its app to publish a new one"
        case .lowOrderPrekey: "this bundle's prekey gives no secrecy"
        }
    }
}

extension BundlePinStoreError {
    var sentence: String {
        switch self {
        case .damaged(let place):
            "\(TerminalText.safe(place)) is damaged; find the cause before you move it away: without it, old"
                + " bundles pass"
        case .writableByOthers(let path):
            "\(TerminalText.safe(path)): others may write there, and so bring old bundles back; "
                + "run: chmod 700 \(TerminalText.safe(path))"
        case .system(let call, let path, let code):
            "\(TerminalText.safe(path)): \(Output.systemText(code)) (\(call))"
        case .other(let reason): "\(TerminalText.safe(reason))"
        }
    }
}

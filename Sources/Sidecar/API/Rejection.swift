import Envelope
import Keys
import Sealing

/// Reason why one recipient gets nothing, in the protocol's words where it has some.
struct Rejection: Error, Equatable, Sendable {
    let word: String
    /// Sentence for the back end's log.
    let detail: String

    init(_ word: String, _ detail: String) {
        self.word = word
        self.detail = detail
    }

    static let unknownDevice = Rejection(
        "unknown-device",
        "The relay knows no such device, or it has no bundle; the app registers it."
    )
    static let identityMissing = Rejection(
        "identity-missing",
        "No identity is pinned for the device: give 'identity', from the app's own authenticated channel."
    )
    static let identityChanged = Rejection(
        "identity-changed",
        "Another identity is pinned for the device. If a person has confirmed the new one, DELETE /v1/devices/{id} first."
    )
    static let bundleUnavailable = Rejection(
        "bundle-unavailable",
        "The relay was not reached, and no usable bundle of the device is here. Send it again later, with another key."
    )
    static let expired = Rejection("message-expired", "The message's life ended before the relay took it.")

    init(_ error: RecipientError) {
        switch error {
        case .bundle(let error): self.init(error)
        case .noPrekey: self.init("no-prekey", "The bundle has no prekey that is usable after the first unlock.")
        case .pins: self.init("pins", "The pins could not be read; nothing is sealed without them.")
        }
    }

    init(_ error: SealingError) {
        switch error {
        case .prekeyExpired: self.init("expired", "The device's prekey has expired; its app has to run.")
        case .expired: self = .expired
        case .unusablePrekey: self.init("low-order-prekey", "The device's prekey gives no secrecy.")
        default: self.init("not-sealed", "The message could not be sealed for this device.")
        }
    }

    private init(_ error: KeyBundleError) { self.init(error.name, Self.detail(error)) }

    private static func detail(_ error: KeyBundleError) -> String {
        switch error {
        case .malformed: "The bundle is not well-formed."
        case .unsupportedVersion: "The bundle is of a later version."
        case .otherIdentity: "The bundle is another identity's: the device was reset, or a third party is in between."
        case .otherTopic: "The bundle was made for another app."
        case .unsupportedSuite: "The bundle has a cipher suite of a later version."
        case .badSignature: "The bundle was changed on the way."
        case .rolledBack: "The bundle is older than one that was used before."
        case .equivocation: "Two bundles of one epoch: there may be a copy of the identity's key."
        case .suiteDowngrade: "The bundle offers less protection than an earlier one."
        case .validityTooLong: "The bundle claims to be valid for more than 60 days."
        case .notYetValid: "The bundle is not valid yet; check this machine's clock."
        case .expired: "The bundle has expired; the device's app has to run."
        case .lowOrderPrekey: "The bundle's prekey gives no secrecy."
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.name("problem")
        writer.object { writer in
            writer.member("type", "urn:sealedpush:problem:\(word)")
            writer.member("detail", detail)
        }
    }
}

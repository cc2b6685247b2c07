public import Envelope
public import Keys

/// A device that a message can be sealed for: its prekey, after everything about its bundle was verified.
public struct Recipient: Sendable {
    /// The pinned identity that the bundle was checked against.
    public let identity: IdentityKey
    let topic: BundleID
    let prekey: PublicPrekey

    /// Verifies a bundle and takes its prekey. Nothing makes a recipient from a bundle alone: a relay could hand out
    /// its own.
    ///
    /// - Parameters:
    ///   - bundle: the bytes that the relay, or anyone, handed over.
    ///   - pinnedIdentity: the device's identity, learned through the app's own authenticated channel or a QR code.
    ///   - topic: the app's bundle id, the same constant as on the device.
    ///   - protectionClass: constant per app, since the prekey id shows it on the way. A bundle without it is refused;
    ///     there is no silent fall-back.
    ///   - now: the sender's clock.
    /// - Throws: `RecipientError`.
    public init(
        bundle: [UInt8],
        pinnedIdentity: IdentityKey,
        topic: BundleID,
        protectionClass: ProtectionClass = .afterFirstUnlock,
        now: Timestamp = .now
    ) throws(RecipientError) {
        let verified: KeyBundle
        do {
            verified = try KeyBundle(verifying: bundle, pinnedIdentity: pinnedIdentity, topic: topic, now: now)
        } catch {
            throw .bundle(error)
        }
        guard let entry = verified.entries.last(where: { $0.prekey.protectionClass == protectionClass }) else {
            throw .noPrekey(of: protectionClass)
        }
        self.init(identity: pinnedIdentity, topic: topic, prekey: entry.prekey)
    }

    init(identity: IdentityKey, topic: BundleID, prekey: PublicPrekey) {
        self.identity = identity
        self.topic = topic
        self.prekey = prekey
    }

    var header: EnvelopeHeader {
        EnvelopeHeader(suite: prekey.suite, prekeyID: prekey.id(identity: identity))
    }

    /// HPKE's `info` for everything sealed to this prekey.
    var info: [UInt8] {
        Binding.info(
            header: header,
            topic: topic,
            identityKey: identity.rawRepresentation,
            prekeyFingerprint: prekey.fingerprint(identity: identity)
        )
    }
}

/// Why a device cannot be sealed to.
public enum RecipientError: Error, Equatable {
    /// The bundle was refused.
    case bundle(KeyBundleError)
    /// The bundle has no prekey of the app's protection class.
    case noPrekey(of: ProtectionClass)
}

public import Envelope
public import Keys

/// A device that a message can be sealed for: its prekey, after everything about its bundle was verified.
///
/// Nothing makes a recipient from a bundle alone: a bundle proves nothing about whose it is, and a relay could hand out
/// its own (protocol v1, rule 12).
public struct Recipient: Sendable {
    /// A copy that was fetched so long ago is to be fetched anew (protocol v1, rule 17): devices keep a superseded prekey
    /// for as long, and for the longest life of a message.
    public static let copyAgeMax: Duration = .seconds(7 * 86_400)

    /// The pinned identity that the bundle was checked against.
    public let identity: IdentityKey
    /// When the device made the bundle, by its own clock. A relay can show a sender that has no pin yet an old bundle
    /// until that runs out; an age of weeks is the one sign of it.
    public let issuedAt: Timestamp
    /// When these bytes were last fetched; nil where no pins are kept.
    public let fetchedAt: Timestamp?
    /// Nothing is sealed after it.
    public let notAfter: Timestamp
    let topic: BundleID
    let prekey: PublicPrekey

    /// Verifies a bundle, compares it with what this sender remembers of the device, and remembers it.
    ///
    /// What was refused changes nothing in the store; a bundle that passed is durable in it before this returns.
    ///
    /// - Parameters:
    ///   - bundle: the bytes that the relay, or anyone, handed over.
    ///   - fetchedAt: when they came, by the sender's clock; for a copy from a cache, when that was filled.
    ///   - pinnedIdentity: the device's identity, learned through the app's own authenticated channel or a QR code. A
    ///     changed identity is a new contact, never a new bundle of the old one.
    ///   - topic: the app's bundle id, the same constant as on the device.
    ///   - protectionClass: constant per app, since the prekey id shows it on the way. A bundle without it is refused;
    ///     there is no silent fall-back.
    ///   - pins: shared by everything that seals for this sender.
    ///   - now: the sender's clock.
    /// - Throws: `RecipientError`.
    public init(
        bundle: [UInt8],
        fetchedAt: Timestamp,
        pinnedIdentity: IdentityKey,
        topic: BundleID,
        protectionClass: ProtectionClass = .afterFirstUnlock,
        pins: some BundlePinStore,
        now: Timestamp = .now
    ) throws(RecipientError) {
        let signed = try Self.signed(bundle, pinnedIdentity: pinnedIdentity, topic: topic)
        var result: Result<(bundle: KeyBundle, pin: BundlePin), KeyBundleError>?
        do {
            try pins.update(BundlePinSlot(identity: pinnedIdentity, topic: topic)) { pin in
                do throws(KeyBundleError) {
                    let checked = try signed.checked(against: pin, now: now)
                    let newPin = signed.pin(replacing: pin, fetchedAt: fetchedAt, now: now)
                    result = .success((checked, newPin))
                    guard let pin else { return .store(newPin) }
                    return pin.isOutdated(by: newPin) ? .store(newPin) : .keep
                } catch {
                    result = .failure(error)
                    return .keep
                }
            }
        } catch {
            throw .pins(error)
        }
        switch result {
        case .success(let checked):
            try self.init(checked.bundle, protectionClass: protectionClass, fetchedAt: checked.pin.fetchedAt)
        case .failure(let error): throw .bundle(error)
        // A store of the app's own that did not do what it promises: nothing was compared.
        case nil: throw .pins(.other("the store did not call for a change"))
        }
    }

    /// Verifies a bundle and remembers nothing: an older one that has not run out will be taken again, and two devices
    /// under one identity go unnoticed. For tools that seal once, and for those that keep epochs themselves.
    ///
    /// - Parameters:
    ///   - bundle: the bytes that the relay, or anyone, handed over.
    ///   - pinnedIdentity: the device's identity, learned through the app's own authenticated channel or a QR code.
    ///   - topic: the app's bundle id, the same constant as on the device.
    ///   - protectionClass: constant per app, since the prekey id shows it on the way.
    ///   - now: the sender's clock.
    /// - Throws: `RecipientError`.
    public init(
        bundle: [UInt8],
        pinnedIdentity: IdentityKey,
        topic: BundleID,
        protectionClass: ProtectionClass = .afterFirstUnlock,
        withoutPinsAt now: Timestamp
    ) throws(RecipientError) {
        let signed = try Self.signed(bundle, pinnedIdentity: pinnedIdentity, topic: topic)
        let checked: KeyBundle
        do {
            checked = try signed.checked(against: nil, now: now)
        } catch {
            throw .bundle(error)
        }
        try self.init(checked, protectionClass: protectionClass, fetchedAt: nil)
    }

    private init(
        _ bundle: KeyBundle,
        protectionClass: ProtectionClass,
        fetchedAt: Timestamp?
    ) throws(RecipientError) {
        guard let entry = bundle.entry(for: protectionClass) else { throw .noPrekey(of: protectionClass) }
        identity = bundle.identity
        issuedAt = bundle.issuedAt
        self.fetchedAt = fetchedAt
        notAfter = entry.notAfter
        topic = bundle.topic
        prekey = entry.prekey
    }

    private static func signed(
        _ bundle: [UInt8],
        pinnedIdentity: IdentityKey,
        topic: BundleID
    ) throws(RecipientError) -> SignedKeyBundle {
        do {
            return try SignedKeyBundle(bundle, pinnedIdentity: pinnedIdentity, topic: topic)
        } catch {
            throw .bundle(error)
        }
    }

    /// How long ago the device made the bundle; zero where its clock is ahead of the sender's.
    public func bundleAge(now: Timestamp = .now) -> Duration {
        now > issuedAt ? .milliseconds(Int64(clamping: now.milliseconds - issuedAt.milliseconds)) : .zero
    }

    /// Whether to fetch the bundle anew before sealing again: the copy is 7 days old, or the clock says that it comes
    /// from the future. Without pins, nobody knows.
    public func needsRefresh(now: Timestamp = .now) -> Bool {
        guard let fetchedAt else { return true }
        return now < fetchedAt || now >= fetchedAt.advanced(by: Self.copyAgeMax)
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
    /// What this sender remembers of the device could not be read or written.
    case pins(BundlePinStoreError)
}

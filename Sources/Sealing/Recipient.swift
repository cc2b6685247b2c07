public import Envelope
public import Keys

/// A device that a message can be sealed for: its prekey, from a verified bundle.
///
/// Each initializer needs a pinned identity: a bundle proves nothing about its owner, and a relay could hand out its
/// own (protocol v1, rule 12).
public struct Recipient: Sendable {
    /// Age at which a copy must be fetched anew (protocol v1, rule 17): devices keep a superseded prekey that long, and
    /// a message's longest life.
    public static let copyAgeMax: Duration = .seconds(7 * 86_400)

    /// Pinned identity that the bundle was checked against.
    public let identity: IdentityKey
    /// Time at which the device made the bundle, by its own clock. A relay can show an old, unexpired bundle to a
    /// sender without a pin; an age of weeks is the one sign of it.
    public let issuedAt: Timestamp
    /// Time of the last fetch of these bytes; nil without pins.
    public let fetchedAt: Timestamp?
    /// Expiry of the prekey: nothing is sealed after it.
    public let notAfter: Timestamp
    let topic: BundleID
    let prekey: PublicPrekey

    /// Verifies a bundle, compares it with the device's pin and updates the pin.
    ///
    /// A refused bundle changes nothing in the store. The pin of an accepted one is durable when this returns.
    ///
    /// - Parameters:
    ///   - bundle: untrusted bytes from the relay or a cache.
    ///   - fetchedAt: time of the fetch, by the sender's clock; for a cached copy, when the cache was filled.
    ///   - pinnedIdentity: device's identity, from the app's own authenticated channel or a QR code. A changed
    ///     identity is a new contact, never a new bundle of the old one.
    ///   - topic: the same constant as on the device.
    ///   - protectionClass: constant per app, since the prekey id reveals it in transit. A bundle without it is
    ///     refused; there is no silent fall-back.
    ///   - pins: shared by everything that seals for this sender.
    ///   - now: sender's clock.
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
        try self.init(
            try Self.signed(bundle, pinnedIdentity: pinnedIdentity, topic: topic),
            in: BundlePinSlot(identity: pinnedIdentity, topic: topic),
            fetchedAt: fetchedAt,
            protectionClass: protectionClass,
            pins: pins,
            now: now
        )
    }

    /// Form for a bundle whose signature was verified before: all else is checked anew.
    ///
    /// - Parameter slot: of the identity and the topic that it was verified for.
    package init(
        _ signed: SignedKeyBundle,
        in slot: BundlePinSlot,
        fetchedAt: Timestamp,
        protectionClass: ProtectionClass = .afterFirstUnlock,
        pins: some BundlePinStore,
        now: Timestamp
    ) throws(RecipientError) {
        var result: Result<(bundle: KeyBundle, pin: BundlePin), KeyBundleError>?
        do {
            try pins.update(slot) { pin in
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
        // The app's own store broke its contract.
        case nil: throw .pins(.other("the store did not call for a change"))
        }
    }

    /// Verifies a bundle without pins: older, unexpired bundles are accepted, and two devices under one identity go
    /// unnoticed. For tools that seal once, or keep epochs themselves.
    public init(
        bundle: [UInt8],
        pinnedIdentity: IdentityKey,
        topic: BundleID,
        protectionClass: ProtectionClass = .afterFirstUnlock,
        withoutPinsAt now: Timestamp
    ) throws(RecipientError) {
        let signed = try Self.signed(bundle, pinnedIdentity: pinnedIdentity, topic: topic)
        try self.init(signed, protectionClass: protectionClass, withoutPinsAt: now)
    }

    /// Form without pins for a bundle whose signature was verified before.
    package init(
        _ signed: SignedKeyBundle,
        protectionClass: ProtectionClass = .afterFirstUnlock,
        withoutPinsAt now: Timestamp
    ) throws(RecipientError) {
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

    /// Age of the bundle; zero if the device's clock is ahead.
    public func bundleAge(now: Timestamp = .now) -> Duration {
        now > issuedAt ? .milliseconds(Int64(clamping: now.milliseconds - issuedAt.milliseconds)) : .zero
    }

    /// True if the copy is 7 days old, dated in the future, or without pins: fetch it before sealing again.
    public func needsRefresh(now: Timestamp = .now) -> Bool {
        guard let fetchedAt else { return true }
        return now < fetchedAt || now >= fetchedAt.advanced(by: Self.copyAgeMax)
    }

    var header: EnvelopeHeader {
        EnvelopeHeader(suite: prekey.suite, prekeyID: prekey.id(identity: identity))
    }

    /// HPKE's `info`.
    var info: [UInt8] {
        Binding.info(
            header: header,
            topic: topic,
            identityKey: identity.rawRepresentation,
            prekeyFingerprint: prekey.fingerprint(identity: identity)
        )
    }
}

/// Reason why a device cannot be sealed to.
public enum RecipientError: Error, Equatable {
    /// Refused bundle.
    case bundle(KeyBundleError)
    /// There is no prekey of the app's class.
    case noPrekey(of: ProtectionClass)
    /// Unreadable or unwritable pins.
    case pins(BundlePinStoreError)
}

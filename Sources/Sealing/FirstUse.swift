public import Envelope
public import Keys

/// A device whose identity was taken from its own bundle, unseen by anybody: whoever handed the bundle over may have
/// made it. What follows from that must reach a person, so it comes as an event (protocol v1, rule 12).
public struct FirstUse: Sendable {
    /// What to show, and to write down.
    public let event: Event
    /// Can be sealed to, if that is good enough.
    public let recipient: Recipient

    /// That an identity was believed.
    public struct Event: Hashable, Sendable {
        /// Pin it as this contact's identity: from now on only `Recipient(bundle:fetchedAt:pinnedIdentity:…)` is right
        /// for this contact. Its safety number is what people compare to make good for what was not proven.
        public let identity: IdentityKey
        /// In which app.
        public let topic: BundleID
        /// When, by the sender's clock.
        public let date: Timestamp
        /// Whether these pins knew the identity before, as this contact's or as another's.
        public let isKnownIdentity: Bool
    }
}

extension Recipient {
    /// Believes a bundle about whose it is. Only for a contact that has no pinned identity yet, only where an attacker
    /// who sits in between from the first moment on is acceptable, and never to replace an identity that was pinned:
    /// a changed identity is a new contact, whom a person accepts.
    ///
    /// - Parameters:
    ///   - bundle: the bytes that the relay, or anyone, handed over.
    ///   - fetchedAt: when they came, by the sender's clock.
    ///   - topic: the app's bundle id, the same constant as on the device.
    ///   - protectionClass: constant per app, since the prekey id shows it on the way.
    ///   - pins: shared by everything that seals for this sender.
    ///   - now: the sender's clock.
    /// - Returns: the recipient, and the event to show.
    /// - Throws: `RecipientError`; every check of a pinned identity's bundle is made but the one for the identity.
    public static func trustOnFirstUse(
        bundle: [UInt8],
        fetchedAt: Timestamp,
        topic: BundleID,
        protectionClass: ProtectionClass = .afterFirstUnlock,
        pins: some BundlePinStore,
        now: Timestamp = .now
    ) throws(RecipientError) -> FirstUse {
        let identity: IdentityKey
        do {
            identity = try SignedKeyBundle.claimedIdentity(of: bundle)
        } catch {
            throw .bundle(error)
        }
        let isKnown: Bool
        do {
            isKnown = try pins.pin(of: identity, topic: topic) != nil
        } catch {
            throw .pins(error)
        }
        let recipient = try Recipient(
            bundle: bundle,
            fetchedAt: fetchedAt,
            pinnedIdentity: identity,
            topic: topic,
            protectionClass: protectionClass,
            pins: pins,
            now: now
        )
        let event = FirstUse.Event(identity: identity, topic: topic, date: now, isKnownIdentity: isKnown)
        return FirstUse(event: event, recipient: recipient)
    }
}

public import Envelope
public import Keys

/// A device whose identity was taken from its own bundle, without proof.
///
/// The server that gave out the bundle may have made it. A person must learn of that from the event (protocol v1, rule 12).
public struct FirstUse: Sendable {
    /// Event to show and to record.
    public let event: Event
    /// Recipient, for use where an unproven identity is acceptable.
    public let recipient: Recipient

    /// Acceptance of an unproven identity.
    public struct Event: Hashable, Sendable {
        /// Identity to pin: from now on use only `Recipient(bundle:fetchedAt:pinnedIdentity:…)`. Comparing its
        /// safety number makes up for the missing proof.
        public let identity: IdentityKey
        /// App's bundle id.
        public let topic: BundleID
        /// Time of acceptance, by the sender's clock.
        public let date: Timestamp
        /// True if the pins knew the identity before.
        public let isKnownIdentity: Bool
    }
}

extension Recipient {
    /// Accepts a bundle's own claim of its identity.
    ///
    /// Only for a contact without a pinned identity, where an attacker in between from the start is acceptable. A
    /// changed identity is a new contact, which a person accepts.
    ///
    /// - Throws: `RecipientError`; only the check of the identity is left out.
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

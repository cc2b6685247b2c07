package import Envelope

extension KeyBundle {
    /// Reads and checks a bundle that a stranger handed over. There is no way to a bundle that skips a check.
    ///
    /// - Parameters:
    ///   - bytes: exactly one bundle.
    ///   - identity: pinned through the app's own channel; the bundle proves nothing about whose it is.
    ///   - topic: the app that the sender means.
    ///   - pin: what this sender remembers of the device; nil where it keeps nothing or sees the device the first time.
    ///   - now: the sender's clock.
    /// - Throws: `KeyBundleError`, in the order of docs/protocol.md.
    package init(
        verifying bytes: [UInt8],
        pinnedIdentity identity: IdentityKey,
        topic: BundleID,
        pin: BundlePin? = nil,
        now: Timestamp
    ) throws(KeyBundleError) {
        self = try SignedKeyBundle(bytes, pinnedIdentity: identity, topic: topic).checked(against: pin, now: now)
    }

    /// The entry to seal to: the highest suite of a class.
    package func entry(for protectionClass: ProtectionClass) -> Entry? {
        HighestSuites.index(of: protectionClass, in: offers).map { entries[$0] }
    }

    var highestSuites: HighestSuites { HighestSuites(of: offers) }

    private var offers: [HighestSuites.Offer] {
        entries.map { entry in
            HighestSuites.Offer(
                suite: entry.prekey.suite.rawValue,
                protectionClass: entry.prekey.protectionClass
            )
        }
    }
}

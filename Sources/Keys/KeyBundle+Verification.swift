package import Envelope

extension KeyBundle {
    /// Reads and checks an untrusted bundle; no initializer skips a check.
    ///
    /// - Parameters:
    ///   - identity: pinned through the app's own channel; the bundle does not prove its owner.
    ///   - pin: nil for a first or stateless check.
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

    /// Entry to seal to: the class's highest suite.
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

package import APNS
package import Primitives

/// Public half and rights of a team's signing key.
package struct SigningKey: Sendable {
    package let id: KeyID
    package let team: TeamID
    package let publicKey: ES256PublicKey
    /// Bundle ids; `nil`: every app of the team, as for most keys.
    package let bundleIDs: Set<Topic>?

    /// Environments; keys of the older kind have both.
    package let environments: Set<APNSEnvironment>

    package init(
        id: KeyID,
        team: TeamID,
        publicKey: ES256PublicKey,
        bundleIDs: Set<Topic>? = nil,
        environments: Set<APNSEnvironment> = Set(APNSEnvironment.allCases)
    ) {
        self.id = id
        self.team = team
        self.publicKey = publicKey
        self.bundleIDs = bundleIDs
        self.environments = environments
    }

    /// True if one connection may use both keys of a team: both for all of its apps, or sharing one.
    ///
    /// - Source: "Establishing a token-based connection to APNs", on topic-specific keys; "related" is ours.
    func isRelated(to other: SigningKey) -> Bool {
        guard id != other.id else { return true }
        switch (bundleIDs, other.bundleIDs) {
        case (nil, nil): return true
        case (let one?, let two?): return !one.isDisjoint(with: two)
        default: return false
        }
    }

    /// True for its bundle ids, with or without suffix.
    func allows(_ topic: Topic) -> Bool {
        guard let bundleIDs else { return true }
        return bundleIDs.contains { bundleID in topic.bundleIDMatches(bundleID) }
    }
}

extension Topic {
    func bundleIDMatches(_ bundleID: Topic) -> Bool {
        guard bytes.starts(with: bundleID.bytes) else { return false }
        let rest = bytes.dropFirst(bundleID.bytes.count)
        return PushType.allCases.contains { rest.elementsEqual($0.topicSuffix.utf8) }
    }

    /// Push type of the suffix, if any. No suffix ends in another.
    var pushTypeOfSuffix: PushType? {
        // A device management topic may have one too.
        suffixOwner == .mdm ? PushType.allCases.first { !$0.topicSuffix.isEmpty && hasSuffix(of: $0) } : suffixOwner
    }
}

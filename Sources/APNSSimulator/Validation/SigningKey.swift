package import APNS
package import Primitives

/// A team's key as Apple knows it: its public half, and what it may push to.
package struct SigningKey: Sendable {
    package let id: KeyID
    package let team: TeamID
    package let publicKey: ES256PublicKey
    /// Bundle ids. `nil`: every app of the team, as with the keys that most teams have.
    package let bundleIDs: Set<Topic>?

    /// Where it may push; keys of the older kind push to both.
    package let environments: Set<APNSEnvironment>

    /// A key that Apple calls `id` and that belongs to `team`; `bundleIDs` makes it a topic-specific one.
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

    /// Whether one connection may use both keys, which are of one team: keys for all of the team's apps go together, and
    /// so do keys that share an app.
    ///
    /// - Source: "Establishing a token-based connection to APNs", on topic-specific keys; what "related" means is ours.
    func isRelated(to other: SigningKey) -> Bool {
        guard id != other.id else { return true }
        switch (bundleIDs, other.bundleIDs) {
        case (nil, nil): return true
        case (let one?, let two?): return !one.isDisjoint(with: two)
        default: return false
        }
    }

    /// Whether the key may push to `topic`: one of its bundle ids, plain or with the suffix of a push type.
    func allows(_ topic: Topic) -> Bool {
        guard let bundleIDs else { return true }
        return bundleIDs.contains { bundleID in topic.bundleIDMatches(bundleID) }
    }
}

extension Topic {
    /// Whether this is `bundleID` itself, or `bundleID` with the suffix of a push type.
    func bundleIDMatches(_ bundleID: Topic) -> Bool {
        guard bytes.starts(with: bundleID.bytes) else { return false }
        let rest = bytes.dropFirst(bundleID.bytes.count)
        return PushType.allCases.contains { rest.elementsEqual($0.topicSuffix.utf8) }
    }

    /// The push type whose suffix ends this topic of a request. Suffixes do not end in one another, so there is at most one.
    var pushTypeOfSuffix: PushType? {
        // A topic of device management may end in one, too.
        suffixOwner == .mdm ? PushType.allCases.first { !$0.topicSuffix.isEmpty && hasSuffix(of: $0) } : suffixOwner
    }
}

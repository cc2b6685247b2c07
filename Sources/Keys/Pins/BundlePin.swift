public import Envelope

/// What a sender remembers of the newest bundle of one device, so that nobody can hand it an older one, or two at the
/// same time (protocol v1, rules 16 and 18).
public struct BundlePin: Hashable, Sendable {
    /// The highest seen. A lower one is refused for ever.
    public let epoch: UInt64
    /// SHA-256 of the bundle that had it: 32 bytes.
    package let digest: [UInt8]
    package let highestSuites: HighestSuites
    /// By the device's clock.
    public let issuedAt: Timestamp
    /// When these bytes were last fetched, by the sender's clock.
    public let fetchedAt: Timestamp

    package init(
        epoch: UInt64,
        digest: [UInt8],
        highestSuites: HighestSuites,
        issuedAt: Timestamp,
        fetchedAt: Timestamp
    ) {
        precondition(digest.count == 32)
        self.epoch = epoch
        self.digest = digest
        self.highestSuites = highestSuites
        self.issuedAt = issuedAt
        self.fetchedAt = fetchedAt
    }

    /// The same without memory of suites. Epoch and digest stay: a reset never makes a rollback possible.
    package var withoutSuites: BundlePin {
        BundlePin(
            epoch: epoch,
            digest: digest,
            highestSuites: .none,
            issuedAt: issuedAt,
            fetchedAt: fetchedAt
        )
    }

    /// How much newer a fetch must be to be written down when nothing else changed: a message a second to one person
    /// would otherwise be a write a second.
    static let fetchedAtStep: Duration = .seconds(3_600)

    /// Whether `newer`, of the same device, says something that must be kept.
    package func isOutdated(by newer: BundlePin) -> Bool {
        guard epoch == newer.epoch, digest == newer.digest, highestSuites == newer.highestSuites else { return true }
        let isClockSetBack = newer.fetchedAt < fetchedAt
        return isClockSetBack || newer.fetchedAt >= fetchedAt.advanced(by: Self.fetchedAtStep)
    }
}

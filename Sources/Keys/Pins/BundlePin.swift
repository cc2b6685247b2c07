public import Envelope

/// Pin of a device's newest bundle, against rollback and equivocation (protocol v1, rules 16 and 18).
public struct BundlePin: Hashable, Sendable {
    /// Highest seen; lower ones are refused.
    public let epoch: UInt64
    /// SHA-256 of the bundle.
    package let digest: [UInt8]
    package let highestSuites: HighestSuites
    /// Issued, by the device's clock.
    public let issuedAt: Timestamp
    /// Last fetched, by the sender's clock.
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

    /// Pin without suites. Epoch and digest stay against rollback.
    package var withoutSuites: BundlePin {
        BundlePin(
            epoch: epoch,
            digest: digest,
            highestSuites: .none,
            issuedAt: issuedAt,
            fetchedAt: fetchedAt
        )
    }

    /// Least change worth a write alone: a message a second would else be a write a second.
    static let fetchedAtStep: Duration = .seconds(3_600)

    /// True if `newer`, of this device, must be stored.
    package func isOutdated(by newer: BundlePin) -> Bool {
        guard epoch == newer.epoch, digest == newer.digest, highestSuites == newer.highestSuites else { return true }
        let isClockSetBack = newer.fetchedAt < fetchedAt
        return isClockSetBack || newer.fetchedAt >= fetchedAt.advanced(by: Self.fetchedAtStep)
    }
}

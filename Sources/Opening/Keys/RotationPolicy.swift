import Envelope
import Keys

/// Life of prekeys (protocol v1, rule 17); constants of the app.
package struct RotationPolicy: Equatable, Sendable {
    /// Apple keeps a push for 30 days at most.
    package static let messageLifetimeLimit: Duration = .seconds(30 * 86_400)
    static let rotationAge: Duration = .seconds(7 * 86_400)
    /// The longest way of a new bundle to the relay.
    static let publicationMax: Duration = .seconds(7 * 86_400)
    /// The longest use of a cached bundle.
    static let senderCacheMax: Duration = .seconds(7 * 86_400)

    package let messageLifetimeMax: Duration
    /// Adds a prekey that opens only while the device is unlocked. A constant: a choice per message would reveal which
    /// messages are which.
    package let usesUnlockedClass: Bool

    package init(messageLifetimeMax: Duration = .seconds(7 * 86_400), usesUnlockedClass: Bool = false) {
        precondition(messageLifetimeMax > .zero && messageLifetimeMax <= Self.messageLifetimeLimit)
        self.messageLifetimeMax = messageLifetimeMax
        self.usesUnlockedClass = usesUnlockedClass
    }

    var classes: [ProtectionClass] { usesUnlockedClass ? [.afterFirstUnlock, .unlocked] : [.afterFirstUnlock] }

    /// Time from which no message sealed to this prekey can be shown.
    ///
    /// A superseded one: the relay has the newer bundle (after at most `publicationMax`), then caches last
    /// `senderCacheMax`, then the message lives; clocks may differ. Any one: nothing is sealed to it after not-after.
    func end(of prekey: RingPrekey) -> Timestamp {
        let longest = prekey.notAfter.advanced(by: messageLifetimeMax)
        guard let supersession = prekey.supersession, let at = supersession.at else { return longest }
        let latest = at.advanced(by: Self.publicationMax)
        let start = supersession.acknowledgedAt.map { min($0, latest) } ?? latest
        return min(
            longest,
            start.advanced(by: Self.senderCacheMax + messageLifetimeMax + KeyBundle.clockSkewMax)
        )
    }
}

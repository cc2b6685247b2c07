import Envelope
import Keys

/// How long prekeys live (protocol v1, rule 17). Constants of the app: the same on every device.
package struct RotationPolicy: Equatable, Sendable {
    /// The longest a push can wait: Apple keeps one for 30 days at most.
    package static let messageLifetimeLimit: Duration = .seconds(30 * 86_400)
    /// A prekey of this age is rotated when the app runs.
    static let rotationAge: Duration = .seconds(7 * 86_400)
    /// How long an app may take to bring a new bundle to the relay.
    static let publicationMax: Duration = .seconds(7 * 86_400)
    /// How long a sender may use its copy of a bundle before it asks for the newest.
    static let senderCacheMax: Duration = .seconds(7 * 86_400)

    /// The longest life of a message that the app accepts.
    package let messageLifetimeMax: Duration
    /// Whether bundles offer a prekey that opens only while the device is unlocked, beside the one that opens after the
    /// first unlock. A constant: a choice per message would tell everybody on the way which messages are which.
    package let usesUnlockedClass: Bool

    package init(messageLifetimeMax: Duration = .seconds(7 * 86_400), usesUnlockedClass: Bool = false) {
        precondition(messageLifetimeMax > .zero && messageLifetimeMax <= Self.messageLifetimeLimit)
        self.messageLifetimeMax = messageLifetimeMax
        self.usesUnlockedClass = usesUnlockedClass
    }

    /// One prekey each, in a bundle's order.
    var classes: [ProtectionClass] { usesUnlockedClass ? [.afterFirstUnlock, .unlocked] : [.afterFirstUnlock] }

    /// From when on no message sealed to this prekey can be shown any more.
    ///
    /// A superseded one: every sender has the newer bundle one cache time after the relay has it, seals at most that
    /// long to the old one, and the message lives at most its longest life; clocks may differ. A relay that says nothing
    /// makes that a week longer and no more. Any one: nobody seals to it after not-after.
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

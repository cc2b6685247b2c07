import Envelope
import Keys

/// The life of prekeys (protocol v1, rule 17). Constants of the app: the same on every device.
package struct RotationPolicy: Equatable, Sendable {
    /// The longest wait of a push: Apple keeps one for 30 days at most.
    package static let messageLifetimeLimit: Duration = .seconds(30 * 86_400)
    /// The age from which a prekey is rotated when the app runs.
    static let rotationAge: Duration = .seconds(7 * 86_400)
    /// The longest time for an app to bring a new bundle to the relay.
    static let publicationMax: Duration = .seconds(7 * 86_400)
    /// The longest use of a sender's copy of a bundle before it asks for the newest.
    static let senderCacheMax: Duration = .seconds(7 * 86_400)

    /// The longest life of a message that the app accepts.
    package let messageLifetimeMax: Duration
    /// Adds a prekey that opens only while the device is unlocked, beside the one that opens after the first unlock. A
    /// constant: a choice per message would reveal to every party on the way which messages are which.
    package let usesUnlockedClass: Bool

    package init(messageLifetimeMax: Duration = .seconds(7 * 86_400), usesUnlockedClass: Bool = false) {
        precondition(messageLifetimeMax > .zero && messageLifetimeMax <= Self.messageLifetimeLimit)
        self.messageLifetimeMax = messageLifetimeMax
        self.usesUnlockedClass = usesUnlockedClass
    }

    /// The classes of a bundle's prekeys, in order.
    var classes: [ProtectionClass] { usesUnlockedClass ? [.afterFirstUnlock, .unlocked] : [.afterFirstUnlock] }

    /// The time from which no message sealed to this prekey can be shown.
    ///
    /// For a superseded one: the newer bundle is on the relay, then sender caches last `senderCacheMax`, then the
    /// message lives at most its longest life; clocks may differ. A silent relay extends that by `publicationMax` and
    /// no more. For any prekey: nothing is sealed to it after not-after.
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

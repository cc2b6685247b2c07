import Envelope
import Keys

/// Public side of one prekey; its secret is a separate record.
struct RingPrekey: Equatable, Sendable {
    let prekey: PublicPrekey
    let id: PrekeyID
    let notBefore: Timestamp
    var notAfter: Timestamp
    /// Nil for a prekey of the current bundle.
    var supersession: Supersession?

    struct Supersession: Equatable, Sendable {
        /// First bundle without this prekey.
        var epoch: UInt64
        /// Nil until time is confirmed.
        var at: Timestamp?
        /// Confirmed time at which the relay had a bundle without this prekey.
        var acknowledgedAt: Timestamp?
    }

    init(_ prekey: PublicPrekey, identity: IdentityKey, notBefore: Timestamp, notAfter: Timestamp) {
        self.prekey = prekey
        self.notBefore = notBefore
        self.notAfter = notAfter
        id = prekey.localID(identity: identity)
    }
}

extension PublicPrekey {
    func localID(identity: IdentityKey) -> PrekeyID {
        guard let id = PrekeyID(id(identity: identity)) else { preconditionFailure("an id has 8 bytes") }
        return id
    }
}

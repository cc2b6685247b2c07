package import Primitives

/// What a sender brings beside the recipient's key (RFC 9180 section 5.1).
package enum SenderMode: ~Copyable, Sendable {
    case base
    case psk(PreSharedKey)
    /// Its own key, which the recipient knows to be its.
    ///
    /// Not what authenticates messages of the protocol: who steals the recipient's key can speak for any sender to it
    /// (section 9.1.1), and the successor of the RFC drops it.
    case auth(X25519PrivateKey)
    case authPSK(AuthPSK<X25519PrivateKey>)
}

/// What a recipient expects of the sender.
package enum RecipientMode: ~Copyable, Sendable {
    case base
    case psk(PreSharedKey)
    case auth(X25519PublicKey)
    case authPSK(AuthPSK<X25519PublicKey>)
}

/// The sender's key, its private half or its public one, and a PSK.
package struct AuthPSK<SenderKey: ~Copyable & Sendable>: ~Copyable, Sendable {
    let sender: SenderKey
    let psk: PreSharedKey

    package init(_ sender: consuming SenderKey, _ psk: consuming PreSharedKey) {
        self.sender = sender
        self.psk = psk
    }
}

/// The mode's number in the key schedule.
enum ModeID: UInt8 {
    case base = 0x00
    case psk = 0x01
    case auth = 0x02
    case authPSK = 0x03
}

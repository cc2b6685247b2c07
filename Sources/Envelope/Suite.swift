/// A cipher suite of protocol v1.
package enum Suite: UInt8, Sendable {
    /// DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20-Poly1305 (RFC 9180: 0x0020, 0x0001, 0x0003).
    case x25519 = 1

    /// Bytes of the encapsulated key (Nenc).
    package var encapsulatedKeyByteCount: Int { 32 }
    /// Bytes of a public key (Npk).
    package var publicKeyByteCount: Int { 32 }
}

/// When a prekey can be used; part of what its fingerprint binds.
public enum ProtectionClass: UInt8, Sendable {
    /// From the first unlock after a start on: the default.
    case afterFirstUnlock = 1
    /// Only while the device is unlocked.
    case unlocked = 2
}

/// What kind of push carries the envelope. The class alone decides the length, so that length tells nothing else.
package enum PushClass: Sendable, CaseIterable {
    case alert, voip

    /// E: all bytes of an envelope. Divisible by 3, so that its base64url has no spare bits.
    package var envelopeByteCount: Int {
        switch self {
        case .alert: 2_880
        case .voip: 3_648
        }
    }

    /// Characters of the `sealed` field.
    package var sealedCharacterCount: Int { envelopeByteCount / 3 * 4 }

    /// Apple's limit for the whole payload (Apple, "Generating a remote notification").
    package var payloadByteCountMax: Int {
        switch self {
        case .alert: 4_096
        case .voip: 5_120
        }
    }

    /// F: bytes of the frame under `suite`.
    package func frameByteCount(_ suite: Suite) -> Int {
        envelopeByteCount - EnvelopeHeader.byteCount - suite.encapsulatedKeyByteCount - Envelope.tagByteCount
    }

    /// Bytes of room for the body under `suite`.
    package func bodyByteCountMax(_ suite: Suite) -> Int { frameByteCount(suite) - Frame.bodyOffset }
}

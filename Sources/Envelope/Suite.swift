package enum Suite: UInt8, Sendable {
    /// DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20-Poly1305 (RFC 9180: 0x0020, 0x0001, 0x0003).
    case x25519 = 1

    /// Nenc.
    package var encapsulatedKeyByteCount: Int { 32 }
    /// Npk.
    package var publicKeyByteCount: Int { 32 }
}

/// The time when a prekey is readable; part of its fingerprint.
public enum ProtectionClass: UInt8, Sendable {
    /// After the first unlock since the start; the default.
    case afterFirstUnlock = 1
    /// Only while the device is unlocked.
    case unlocked = 2
}

/// Kind of push. It alone decides the envelope's length, which so reveals nothing else.
package enum PushClass: Sendable, CaseIterable {
    case alert, voip

    /// E: bytes of an envelope. Divisible by 3, so that its base64url has no spare bits.
    package var envelopeByteCount: Int {
        switch self {
        case .alert: 2_880
        case .voip: 3_648
        }
    }

    package var sealedCharacterCount: Int { envelopeByteCount / 3 * 4 }

    /// Apple, "Generating a remote notification".
    package var payloadByteCountMax: Int {
        switch self {
        case .alert: 4_096
        case .voip: 5_120
        }
    }

    /// F: bytes of the frame.
    package func frameByteCount(_ suite: Suite) -> Int {
        envelopeByteCount - EnvelopeHeader.byteCount - suite.encapsulatedKeyByteCount - Envelope.tagByteCount
    }

    package func bodyByteCountMax(_ suite: Suite) -> Int { frameByteCount(suite) - Frame.bodyOffset }
}

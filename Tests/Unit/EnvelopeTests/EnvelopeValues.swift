@testable import Envelope

extension Envelope {
    /// An envelope of stated bytes, for tests that do not look inside.
    static func example(_ pushClass: PushClass = .alert, prekeyID: [UInt8] = Array(1...8)) -> Envelope {
        Envelope(
            pushClass: pushClass,
            header: EnvelopeHeader(suite: .x25519, prekeyID: prekeyID),
            encapsulatedKey: [UInt8](repeating: 0xEE, count: 32),
            ciphertext: (0..<pushClass.frameByteCount(.x25519) + 16).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        )
    }
}

extension Trace {
    /// "AAECAwQFBgcICQoLDA0ODw".
    static var example: Trace { Trace(bytes: Array(0..<16)) }
}

/// First ten bytes of an envelope, in the clear and bound by HPKE's `info`.
package struct EnvelopeHeader: Equatable, Sendable {
    package static let version: UInt8 = 0x01
    package static let byteCount = 10
    package static let prekeyIDByteCount = 8

    package let suite: Suite
    /// First 8 bytes of the fingerprint: a hint for look-up, never an identity.
    package let prekeyID: [UInt8]

    package init(suite: Suite, prekeyID: [UInt8]) {
        precondition(prekeyID.count == Self.prekeyIDByteCount)
        self.suite = suite
        self.prekeyID = prekeyID
    }

    package var bytes: [UInt8] { [Self.version, suite.rawValue] + prekeyID }
}

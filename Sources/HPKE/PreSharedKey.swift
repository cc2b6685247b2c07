package import Primitives

/// A key that both sides have already, and its name (RFC 9180 section 5.1.2).
package struct PreSharedKey: ~Copyable, Sendable {
    /// "at least 32 bytes of entropy" (section 5.1.2); bytes are what can be counted.
    package static let byteCountMin = 32

    let secret: SecretBytes
    let id: [UInt8]

    /// - Parameters:
    ///   - secret: 32 bytes or more, random and not a password: a weak one is guessed off line (section 9.1).
    ///   - id: not empty; goes into the key schedule, not over the wire.
    /// - Throws: `.missingPSK`, `.pskWithoutID`, `.pskIDWithoutPSK`, `.pskTooShort`.
    /// - Source: RFC 9180 section 5.1, `VerifyPSKInputs`. That a mode without PSK is given one does not compile.
    package init(_ secret: consuming SecretBytes, id: [UInt8]) throws(HPKEError) {
        switch (secret.byteCount, id.count) {
        case (0, 0): throw .missingPSK
        case (0, _): throw .pskIDWithoutPSK
        case (_, 0): throw .pskWithoutID
        case (..<Self.byteCountMin, _):
            throw .pskTooShort(byteCount: secret.byteCount, byteCountMin: Self.byteCountMin)
        default: break
        }
        self.secret = secret
        self.id = id
    }
}

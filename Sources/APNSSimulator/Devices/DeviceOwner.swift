import Primitives

/// Hash of a device's key, which protects its tokens from other devices.
package struct DeviceOwner: Hashable, Sendable {
    /// First bytes of SHA-256; never 0.
    let rawValue: UInt64

    /// Reads a value from a file; 0 stands for no owner.
    init?(rawValue: UInt64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// - Parameter publicKeyDER: SubjectPublicKeyInfo (RFC 5280 section 4.1), the same in a renewed certificate.
    package init(publicKeyDER: [UInt8]) {
        let value = SHA256.hash(publicKeyDER).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rawValue = max(value, 1)
    }
}

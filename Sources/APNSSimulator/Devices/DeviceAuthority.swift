package import Transport

/// The simulator's authority for devices: Apple's makes each phone a certificate when it is activated, and knows it by
/// that ever after.
///
/// - Source: "Apple Platform Security", on push notifications: connection trust between a device and APNs.
package final class DeviceAuthority: Sendable {
    private let authority: CertificateAuthority
    /// What the device port trusts.
    package let certificatePEM: [UInt8]

    /// A new authority. Certificates of an earlier one are not believed.
    ///
    /// - Parameter key: what it signs with.
    /// - Throws: `.library`.
    package init(key: KeyPair) throws(TLSError) {
        authority = try CertificateAuthority(name: "SealedPush simulated devices", key: key)
        certificatePEM = try authority.certificatePEM
    }

    /// One that was made before.
    ///
    /// - Throws: `.certificateUnreadable`, `.privateKeyDoesNotMatchCertificate`.
    package init(certificatePEM: [UInt8], key: KeyPair) throws(TLSError) {
        authority = try CertificateAuthority(certificatePEM: certificatePEM, key: key)
        self.certificatePEM = certificatePEM
    }

    /// A new authority with a new key.
    package convenience init() throws(TLSError) { try self.init(key: try KeyPair()) }

    /// Activates a device whose key is kept elsewhere.
    ///
    /// - Returns: its certificate, PEM.
    /// - Throws: `.library`.
    package func enrol(_ key: KeyPair) throws(TLSError) -> [UInt8] {
        try authority.issueClient(commonName: Self.deviceName, for: key)
    }

    private static let deviceName = "Simulated device"

    /// Activates a device: makes its key.
    ///
    /// - Returns: what the device shows when it connects. The name is the same for all: which device it is, its key says.
    /// - Throws: `.library`.
    package func enrol() throws(TLSError) -> TLSIdentity {
        try authority.makeClient(commonName: Self.deviceName)
    }
}

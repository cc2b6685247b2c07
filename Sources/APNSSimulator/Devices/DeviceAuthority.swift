package import Networking

/// Certificate authority for simulated devices. Apple knows each phone by a certificate issued at activation.
///
/// - Source: "Apple Platform Security", on push notifications: connection trust between a device and APNs.
package final class DeviceAuthority: Sendable {
    private let authority: CertificateAuthority
    package let certificatePEM: [UInt8]

    /// Creates a new authority, which rejects certificates of an earlier one.
    ///
    /// - Throws: `.library`.
    package init(key: KeyPair) throws(TLSError) {
        authority = try CertificateAuthority(name: "SealedPush simulated devices", key: key)
        certificatePEM = try authority.certificatePEM
    }

    /// Reopens an earlier authority.
    ///
    /// - Throws: `.certificateUnreadable`, `.privateKeyDoesNotMatchCertificate`.
    package init(certificatePEM: [UInt8], key: KeyPair) throws(TLSError) {
        authority = try CertificateAuthority(certificatePEM: certificatePEM, key: key)
        self.certificatePEM = certificatePEM
    }

    package convenience init() throws(TLSError) { try self.init(key: try KeyPair()) }

    /// Issues a PEM certificate.
    ///
    /// - Throws: `.library`.
    package func enrol(_ key: KeyPair) throws(TLSError) -> [UInt8] {
        try authority.issueClient(commonName: Self.deviceName, for: key)
    }

    private static let deviceName = "Simulated device"

    /// Issues a key and certificate. The key identifies the device: all have one name.
    ///
    /// - Throws: `.library`.
    package func enrol() throws(TLSError) -> TLSIdentity {
        try authority.makeClient(commonName: Self.deviceName)
    }
}

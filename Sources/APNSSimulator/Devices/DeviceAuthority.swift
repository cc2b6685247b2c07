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
    /// - Throws: `.library`.
    package init() throws(TLSError) {
        authority = try CertificateAuthority(name: "SealedPush simulated devices", key: try KeyPair())
        certificatePEM = try authority.certificatePEM
    }

    /// Activates a device: makes its key.
    ///
    /// - Returns: what the device shows when it connects. The name is the same for all: which device it is, its key says.
    /// - Throws: `.library`.
    package func enrol() throws(TLSError) -> TLSIdentity {
        try authority.makeClient(commonName: "Simulated device")
    }
}

package import Transport

/// The simulator's authority for devices: Apple's makes each phone a certificate when it is activated, and knows it by
/// that ever after.
///
/// - Source: "Apple Platform Security", on push notifications: connection trust between a device and APNs.
package final class DeviceAuthority: Sendable {
    private let issuer: CertificateIssuer
    /// What the device port trusts.
    package let certificatePEM: [UInt8]

    /// A new authority. Certificates of an earlier one are not believed.
    ///
    /// - Throws: `.library`.
    package init() throws(CertificateIssuer.Failure) {
        issuer = try CertificateIssuer(name: "SealedPush simulated devices")
        certificatePEM = try issuer.certificatePEM()
    }

    /// Activates a device that has no key: makes one.
    ///
    /// - Returns: what the device shows when it connects.
    /// - Throws: `.library`.
    package func enrol() throws(CertificateIssuer.Failure) -> TLSIdentity {
        try issuer.makeClient(name: Self.name)
    }

    /// Activates a device that has made its own key.
    ///
    /// - Parameter requestPEM: PKCS #10, signed with it; what it asks for beside the key is not granted.
    /// - Returns: the device's certificate (PEM).
    /// - Throws: what is wrong with the request.
    package func enrol(requestPEM: [UInt8]) throws(CertificateIssuer.Failure) -> [UInt8] {
        try issuer.certificatePEM(forRequest: requestPEM, name: Self.name)
    }

    /// The same for all: which device it is, its key says.
    private static let name = "Simulated device"
}

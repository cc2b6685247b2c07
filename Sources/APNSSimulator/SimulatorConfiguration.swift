package import APNS
import DeviceLink
package import Networking

package struct SimulatorConfiguration: Sendable {
    /// Environment; a simulator is one of Apple's two services.
    package var environment = APNSEnvironment.sandbox
    /// Loopback by default: any client gets a token.
    package var address = "127.0.0.1"
    /// For this and the next ports, 0: any.
    package var pushPort: UInt16 = 0
    package var devicePort: UInt16 = 0
    /// As the next two, `nil`: does not listen.
    package var channelPort: UInt16?
    /// Gateway: Apple's push interface until 2021.
    package var gatewayPort: UInt16?
    package var feedbackPort: UInt16?
    package var keys: [SigningKey]
    package var profile = Profile.apple
    package var validation = ValidationRules()
    /// Allows one stream until the first accepted push, as APNs does with token authentication.
    package var startsWithOneStream = true
    /// Off, as on Apple's servers: some libraries speak HTTP/2 without ALPN.
    package var requiresALPN = false
    /// Live APNs announces 1000.
    package var streamCountMax: UInt32 = 1000
    package var connections = ConnectionRules()
    package var devices = DeviceSettings()
    package var delivery = DeliverySettings()
    /// Time from the end of the handshake to the hello.
    package var helloDeadline = Duration.seconds(10)
    package var channels = ChannelSettings()
    package var legacy = LegacySettings()

    package var faults = InjectedFaults(seed: 0)
    package var control = ControlSettings()

    package init(keys: [SigningKey]) { self.keys = keys }
}

/// Server certificate on all ports.
package struct SimulatorIdentity: Sendable {
    let identity: TLSIdentity
    let device: TLSContext

    /// - Parameters:
    ///   - certificateChainPEM: own certificate first.
    ///   - privateKeyPEM: unencrypted.
    ///   - deviceAuthorityPEM: `nil` requests no device certificates.
    package init(
        certificateChainPEM: [UInt8],
        privateKeyPEM: RawSpan,
        deviceAuthorityPEM: [UInt8]? = nil
    ) throws(TLSError) {
        identity = try .server(certificateChainPEM: certificateChainPEM, privateKeyPEM: privateKeyPEM)
        device = try .server(
            identity: identity,
            alpn: [DeviceFrame.applicationProtocol],
            // Refuses with a frame: a failed handshake would not say why.
            clientTrust: deviceAuthorityPEM.map {
                TLSContext.ClientTrust(authorities: .pem($0), isCertificateRequired: false)
            }
        )
    }

    /// Requests a certificate, which a token may replace.
    ///
    /// - Throws: `.authorityUnreadable`, `.library`.
    func push(_ configuration: SimulatorConfiguration) throws(TLSError) -> TLSContext {
        try .server(
            identity: identity,
            alpn: ["h2"],
            requiresALPN: configuration.requiresALPN,
            clientTrust: configuration.validation.clientTrust
        )
    }
}

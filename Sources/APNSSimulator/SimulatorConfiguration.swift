package import APNS
import DeviceLink
package import Transport

/// What the simulator listens on and whom it believes.
package struct SimulatorConfiguration: Sendable {
    /// A simulator is one of Apple's two services; who needs both starts two.
    package var environment = APNSEnvironment.sandbox
    /// Loopback unless somebody asks for more: the simulator gives a token to whoever comes.
    package var address = "127.0.0.1"
    /// Where providers push; 0 lets the system choose.
    package var pushPort: UInt16 = 0
    /// Where devices connect; 0 lets the system choose.
    package var devicePort: UInt16 = 0
    /// Where channels are managed; 0 lets the system choose, `nil` does not listen.
    package var channelPort: UInt16?
    /// Where providers of before 2021 push; 0 lets the system choose, `nil` does not listen.
    package var gatewayPort: UInt16?
    /// Where they read which apps are gone; 0 lets the system choose, `nil` does not listen.
    package var feedbackPort: UInt16?
    package var keys: [SigningKey]
    package var profile = Profile.apple
    /// What is checked of pushes, and of who sends them.
    package var validation = ValidationRules()
    /// As APNs does with token authentication: one stream until the first push was accepted.
    package var startsWithOneStream = true
    /// Apple's servers speak HTTP/2 with a client that negotiates no protocol, and some libraries do not.
    package var requiresALPN = false
    /// Live APNs says 1000.
    package var streamCountMax: UInt32 = 1000
    /// How provider connections are treated otherwise.
    package var connections = ConnectionRules()
    /// Who is taken as a device, and what its tokens look like.
    package var devices = DeviceSettings()
    /// Store and forward.
    package var delivery = DeliverySettings()
    /// How long a device may take from the end of the handshake to its hello.
    package var helloDeadline = Duration.seconds(10)
    package var channels = ChannelSettings()
    package var legacy = LegacySettings()

    /// What goes wrong on purpose.
    package var faults = InjectedFaults(seed: 0)
    package var control = ControlSettings()

    package init(keys: [SigningKey]) { self.keys = keys }
}

/// The certificate with which the simulator stands in for Apple, on both of its ports.
package struct SimulatorIdentity: Sendable {
    let identity: TLSIdentity
    let device: TLSContext

    /// - Parameters:
    ///   - certificateChainPEM: the simulator's certificate first.
    ///   - privateKeyPEM: its unencrypted key.
    ///   - deviceAuthorityPEM: asks devices for a certificate of this authority's; `nil` asks for none.
    /// - Throws: what is wrong with any of them.
    package init(
        certificateChainPEM: [UInt8],
        privateKeyPEM: RawSpan,
        deviceAuthorityPEM: [UInt8]? = nil
    ) throws(TLSError) {
        identity = try .server(certificateChainPEM: certificateChainPEM, privateKeyPEM: privateKeyPEM)
        device = try .server(
            identity: identity,
            alpn: [DeviceFrame.applicationProtocol],
            // Who has none is told so by a frame, where one is required: a refused handshake would say little.
            clientTrust: deviceAuthorityPEM.map {
                TLSContext.ClientTrust(authorities: .pem($0), isCertificateRequired: false)
            }
        )
    }

    /// What providers meet: they are asked for a certificate, and may come with a token instead.
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

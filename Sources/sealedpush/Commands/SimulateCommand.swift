import APNS
import APNSSimulator
import Envelope
import Primitives
import Transport

/// Stands in for APNs until it is stopped.
struct SimulateCommand: Command {
    static let name = "simulate"
    static let summary = "stands in for APNs: checks pushes as Apple does and passes them to simulated devices"
    static let operands = ""
    static let options = [
        Option("--port", "PORT", "for providers, on 127.0.0.1; 2197 without it, 0: any"),
        Option("--device-port", "PORT", "for 'sealedpush device'; 5223 without it, 0: any"),
        Option("--certificate", "FILE", "the simulator's certificate chain (PEM)", isRequired: true),
        Option("--certificate-key", "FILE", "its private key (PEM)", isRequired: true),
        Option("--provider-key", "FILE", "the public half of the provider's signing key (PEM)", isRequired: true),
        Option("--key-id", "ID", "the signing key's ten characters", isRequired: true),
        Option("--team-id", "ID", "the team's ten characters", isRequired: true),
        Option("--app", "BUNDLE-ID", "limits the key to this app; may be repeated", isRepeatable: true),
        Option("--profile", "apple|spec", "as live servers were seen to act, or the documentation to the letter"),
        .json, .allowExampleKeys,
    ]
    static let example = """
        Example:
          sealedpush simulate --certificate keys-example/simulator.pem --certificate-key keys-example/simulator.key \\
              --provider-key keys-example/provider.pub.pem --key-id EXAMPLEKEY --team-id EXAMPLTEAM --allow-example-keys

        The first line on standard output names both ports. Ctrl-C or SIGTERM stops it.
        """

    /// More events than this wait for a slow terminal, and the oldest are forgotten: the pushes must not wait for it.
    private static let waitingEventCountMax = 10_000

    private let arguments: Arguments
    private let configuration: SimulatorConfiguration

    init(_ arguments: Arguments) throws(CommandFailure) {
        try arguments.noOperands()
        self.arguments = arguments
        var configuration = SimulatorConfiguration(keys: [try arguments.signingKey()])
        configuration.pushPort = try arguments.port("--port", default: 2_197)
        configuration.devicePort = try arguments.port("--device-port", default: 5_223)
        guard let profile = Profile(rawValue: arguments.value("--profile") ?? "apple") else {
            throw arguments.wrong("--profile is 'apple' or 'spec'")
        }
        configuration.profile = profile
        self.configuration = configuration
    }

    func run() async throws(CommandFailure) {
        let identity = try identity()
        let (events, continuation) = AsyncStream.makeStream(
            of: SimulatorEvent.self,
            bufferingPolicy: .bufferingNewest(Self.waitingEventCountMax)
        )
        _ = try StopSignal { continuation.finish() }
        let simulator: Simulator
        do throws(TransportError) {
            let loop = try EventLoop()
            simulator = try await .start(
                configuration,
                identity: identity,
                loop: loop,
                onEvent: { continuation.yield($0) }
            )
        } catch {
            throw .failed(error.sentence)
        }
        let log = SimulatorLog(printsJSON: arguments.flag(.json))
        try log.printReady(pushPort: simulator.pushPort, devicePort: simulator.devicePort)
        for await event in events { try log.print(event) }
        await simulator.close()
    }

    private func identity() throws(CommandFailure) -> SimulatorIdentity {
        let chainPath = try arguments.required("--certificate")
        let chain = try readInput(chainPath, byteCountMax: 1 << 20)
        let key = try arguments.privatePEM("--certificate-key")
        do {
            return try key.withBytes { span throws(TLSError) in
                try SimulatorIdentity(certificateChainPEM: chain, privateKeyPEM: span)
            }
        } catch {
            throw .failed("\(TerminalText.safe(chainPath)): \(error.sentence)")
        }
    }
}

extension Arguments {
    fileprivate func signingKey() throws(CommandFailure) -> SigningKey {
        let path = try required("--provider-key")
        let pem = try readInput(path, byteCountMax: 1 << 20)
        let publicKey: ES256PublicKey
        do {
            publicKey = try ES256PublicKey(pem: unsafe pem.span.bytes)
        } catch {
            throw .failed("\(TerminalText.safe(path)) is not a public P-256 key (PEM); was another file meant?")
        }
        var bundleIDs: Set<Topic> = []
        for text in values("--app") {
            do { bundleIDs.insert(try Topic(text)) } catch { throw wrong("--app is an app's bundle id") }
        }
        return SigningKey(
            id: try keyID(),
            team: try teamID(),
            publicKey: publicKey,
            bundleIDs: bundleIDs.isEmpty ? nil : bundleIDs
        )
    }
}

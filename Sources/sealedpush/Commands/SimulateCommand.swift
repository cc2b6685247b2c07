import APNS
import APNSSimulator
import CommandLineTool
import Envelope
import ExtensionHarness
import Keys
import Networking
import Primitives

struct SimulateCommand: Command {
    static let name = "simulate"
    static let summary = "stands in for APNs: checks pushes as Apple does and passes them to simulated devices"
    static let operands = ""
    static let options = [
        Option("--port", "PORT", "for providers, on 127.0.0.1; 2197 without it, 0: any"),
        Option("--device-port", "PORT", "for 'sealedpush device'; 5223 without it, 0: any"),
        Option("--control-port", "PORT", "for the control API; 0: any. Without it only with keys of its own"),
        Option("--channel-port", "PORT", "for the management of broadcast channels; 0: any. Off without it"),
        Option("--client-ca", "FILE", "the authority of providers' certificates (PEM); without it, none is requested"),
        Option("--device-ca", "FILE", "the authority of devices' certificates (PEM), with --certificate"),
        Option("--keep-tokens", "FILE", "keeps device tokens and their key for the next run; mode 0600"),
        Option("--gateway-port", "PORT", "the binary interface of before 2021, with --client-ca; 0: any"),
        Option("--feedback-port", "PORT", "its feedback service, with --client-ca; 0: any"),
        Option("--folder", "DIR", "the folder of its own keys, made if missing; sealedpush-simulator without it"),
        Option("--certificate", "FILE", "instead of keys of its own: the simulator's certificate chain (PEM)"),
        Option("--certificate-key", "FILE", "its private key (PEM)"),
        Option("--provider-key", "FILE", "the public half of the provider's signing key (PEM)"),
        Option("--key-id", "ID", "the signing key's ten characters"),
        Option("--team-id", "ID", "the team's ten characters"),
        Option("--app", "BUNDLE-ID", "limits the key to this app; may be repeated", isRepeatable: true),
        Option("--environment", "sandbox|production", "the service of Apple that it stands in for; sandbox without it"),
        Option("--profile", "apple|spec", "as live servers were seen to act, or the documentation to the letter"),
        Option("--set", "NAME=VALUE", "a behaviour that Apple does not document; may be repeated", isRepeatable: true),
        showsSettings,
        Option("--fault", "RULE", "a fault to inject; may be repeated", isRepeatable: true),
        Option("--faults", "SEED:PERCENT", "the percentage of pushes that get a random fault; the seed repeats them"),
        Option("--seed", "NUMBER", "the seed of all random choices; printed; a new one for each run without it"),
        Option("--record", "FILE", "records requests and answers, without tokens, for 'simulate replay'"),
        recordsPayloads, isQuiet, hasPlayground,
        Option("--extension", "PROGRAM", "with --playground: a service extension of your own, with ExtensionHost.run"),
        .json, .allowExampleKeys,
    ]
    static let example = """
        Example:
          sealedpush simulate --port 0 --device-port 0
          sealedpush simulate --certificate keys-example/simulator.pem \\
              --certificate-key keys-example/simulator.key \\
              --provider-key keys-example/provider.pub.pem --key-id EXAMPLEKEY \\
              --team-id EXAMPLTEAM --allow-example-keys
          sealedpush simulate --fault rejected,reason=TooManyRequests,percent=10 \\
              --fault slow,milliseconds=500,device=1

        Without keys it makes its own, enrols a device, and prints how curl pushes to it. The first line on standard output
        names the ports, the next one the seed. Ctrl-C or SIGTERM stops it.
        """

    private static let showsSettings = Option(flag: "--settings", "prints the settings for --set, and ends")
    private static let recordsPayloads = Option(flag: "--record-payloads", "payloads too: they are as secret as pushes")

    private static let hasPlayground = Option(
        flag: "--playground",
        "a page that composes, fires and shows pushes; its address is printed"
    )
    private static let isQuiet = Option(flag: "--quiet", "prints no events: for load")

    /// Beyond it the oldest are dropped: pushes do not wait for slow terminals.
    private static let waitingEventCountMax = 10_000

    private let arguments: Arguments
    /// Without keys.
    private let configuration: SimulatorConfiguration
    private let bundleIDs: Set<Topic>
    private let hasOwnKeys: Bool
    /// nil: no control API.
    private let controlPort: UInt16?

    init(_ arguments: Arguments) throws(CommandError) {
        try arguments.noOperands()
        self.arguments = arguments
        bundleIDs = try arguments.bundleIDs()
        hasOwnKeys = try arguments.hasOwnKeys()
        configuration = try arguments.simulatorConfiguration()
        if hasOwnKeys, arguments.value("--device-ca") != nil {
            throw arguments.wrong("--device-ca goes only with --certificate; the folder has its own authority")
        }
        if !hasOwnKeys, arguments.value("--device-ca") == nil, configuration.devices.certificates == .required {
            throw arguments.wrong("device-certificates=required needs --device-ca, to verify them")
        }
        if !hasOwnKeys, arguments.flag(Self.hasPlayground) {
            throw arguments.wrong("--playground needs the simulator's own keys, to push with; leave --certificate out")
        }
        if arguments.value("--extension") != nil, !arguments.flag(Self.hasPlayground) {
            throw arguments.wrong("--extension goes only with --playground")
        }
        let isControlled = hasOwnKeys || arguments.value("--control-port") != nil
        controlPort = isControlled ? try arguments.port("--control-port", default: 0) : nil
        if arguments.flag(Self.recordsPayloads), arguments.value("--record") == nil {
            throw arguments.wrong("--record-payloads needs --record FILE")
        }
    }

    func run() async throws(CommandError) {
        guard !arguments.flag(Self.showsSettings) else { return try Output.print(SimulatorSetting.table) }
        if hasOwnKeys {
            let folder = try SimulatorFolder(arguments.value("--folder") ?? SimulatorFolder.standardPath)
            let key = try folder.signingKey(bundleIDs: bundleIDs.isEmpty ? nil : bundleIDs)
            try await run(key, folder.identity, folder)
        } else {
            try await run(try arguments.signingKey(bundleIDs), try identity(), nil)
        }
    }

    private func run(
        _ key: SigningKey,
        _ identity: SimulatorIdentity,
        _ folder: SimulatorFolder?
    ) async throws(CommandError) {
        DescriptorLimit.raise()
        var configuration = configuration
        configuration.keys = [key]
        configuration.control.isOn = controlPort != nil
        if let path = arguments.value("--client-ca") {
            configuration.validation.clientAuthoritiesPEM = try readInput(path, byteCountMax: 1 << 20)
        }
        // Before other threads read the environment.
        let home = arguments.flag(Self.hasPlayground) ? try PlaygroundHome() : nil
        defer { withExtendedLifetime(home) {} }
        let recording = try recording()
        let tokenFile = try tokenFile()
        let (events, continuation) = AsyncStream.makeStream(
            of: SimulatorEvent.self,
            bufferingPolicy: .bufferingNewest(Self.waitingEventCountMax)
        )
        _ = try StopSignal { continuation.finish() }
        let pageReport = home?.report
        let report: @Sendable (SimulatorEvent) -> Void = { event in
            pageReport?.report(event)
            _ = continuation.yield(event)
        }
        let onEvent = arguments.flag(Self.isQuiet) && home == nil ? nil : report
        let simulator: Simulator
        let control: ControlServer?
        do throws(TransportError) {
            let loop = try EventLoop()
            simulator = try await .start(
                configuration,
                identity: identity,
                loop: loop,
                recording: recording,
                tokenFile: tokenFile,
                onEvent: onEvent
            )
        } catch {
            throw .failed(error.sentence)
        }
        let playground = try await playground(home, simulator, folder)
        do throws(TransportError) {
            if let controlPort {
                control = try await .start(simulator, port: controlPort, pages: playground) { continuation.finish() }
            } else {
                control = nil
            }
        } catch {
            throw .failed(error.sentence)
        }
        let log = SimulatorLog(printsJSON: arguments.flag(.json))
        if let folder { try await prepare(folder, simulator, control, playground) }
        try log.printReady(simulator, control, seed: configuration.faults.seed)
        if hasOwnKeys { try log.printOwnKeys(arguments.value("--folder") ?? SimulatorFolder.standardPath, control) }
        if let playground, let control { try log.printPlayground(playground.address(control)) }
        async let _: Void? = playground?.live()
        for await event in events where !arguments.flag(Self.isQuiet) { try log.print(event) }
        playground?.close()
        await control?.close()
        let failures = await simulator.close()
        if let failure = failures.recording {
            throw .failed("the recording is not complete: \(Output.systemText(failure.code)) (\(failure.call))")
        }
        if let failure = failures.tokens { throw Self.failed(failure, arguments.value("--keep-tokens") ?? "") }
    }

    private func prepare(
        _ folder: SimulatorFolder,
        _ simulator: Simulator,
        _ control: ControlServer?,
        _ playground: Playground?
    ) async throws(CommandError) {
        let topic = try topic
        let token: DeviceToken?
        if let phone = playground?.phoneToken {
            token = phone
        } else {
            token = await self.token(of: topic, folder, simulator)
        }
        guard let token else {
            throw .failed("no device could be enrolled; set more than 0 device tokens")
        }
        try folder.writePushFile(port: simulator.pushPort, topic: topic, token: token)
        if let control { try folder.writeControlFiles(bearer: control.bearer) }
    }

    private var topic: Topic {
        get throws(CommandError) {
            do { return try bundleIDs.min { "\($0)" < "\($1)" } ?? Topic("com.example.app") } catch {
                throw .failed("the device's app has no bundle id")
            }
        }
    }

    private func playground(
        _ home: PlaygroundHome?,
        _ simulator: Simulator,
        _ folder: SimulatorFolder?
    ) async throws(CommandError) -> Playground? {
        guard let home, let folder else { return nil }
        let path = arguments.value("--extension")
        let own = ExtensionProgram(path: "/proc/self/exe", arguments: [ExtensionHostCommand.name])
        return try await .start(
            in: home,
            simulator,
            folder,
            topic: try topic,
            program: path.map { ExtensionProgram(path: $0) } ?? own,
            extensionName: path ?? ""
        )
    }

    private func token(of topic: Topic, _ folder: SimulatorFolder, _ simulator: Simulator) async -> DeviceToken? {
        if let token = folder.earlierToken, let report = await simulator.report(on: token), report.status == .active,
            report.bundleID == topic
        {
            return token
        }
        return await simulator.enrolDevice(bundleID: topic)
    }

    private func tokenFile() throws(CommandError) -> TokenFile? {
        guard let path = arguments.value("--keep-tokens") else { return nil }
        do throws(TokenFileError) {
            return try TokenFile(
                path: path,
                environment: configuration.environment,
                tokenByteCount: configuration.devices.tokenByteCount
            )
        } catch {
            throw Self.failed(error, path)
        }
    }

    private static func failed(_ failure: TokenFileError, _ name: String) -> CommandError {
        let path = TerminalText.safe(name)
        switch failure {
        case .system(let call, let code): return .file(.system(call: call, path: name, code: code))
        case .inUse: return .failed("\(path) belongs to another running simulator; give each its own file")
        case .permissionsTooLoose:
            return .failed("\(path) has the key of its tokens, and others can read it; run: chmod 600")
        case .malformed(let line, let field):
            return .failed("\(path):\(line): the \(field) is damaged; move the file away and tokens start again")
        case .otherEnvironment: return .failed("\(path) has the other environment's tokens; see --environment")
        case .otherTokenByteCount(let byteCount):
            return .failed("\(path) has tokens of \(byteCount) bytes; give --set device-token-bytes=\(byteCount)")
        case .tooLarge(let byteCountMax):
            return .failed("\(path) has more than \(byteCountMax) bytes; move it away and tokens start again")
        }
    }

    private func recording() throws(CommandError) -> RecordingFile? {
        guard let path = arguments.value("--record") else { return nil }
        do throws(RecordingFileError) {
            return try RecordingFile(path: path, hasPayloads: arguments.flag(Self.recordsPayloads))
        } catch {
            guard error.isFileThere else { throw .file(.system(call: error.call, path: path, code: error.code)) }
            throw .file(.exists(path: path))
        }
    }

    private func identity() throws(CommandError) -> SimulatorIdentity {
        let chainPath = try arguments.required("--certificate")
        let chain = try readInput(chainPath, byteCountMax: 1 << 20)
        let key = try arguments.privatePEM("--certificate-key")
        let devices = try arguments.value("--device-ca").map { path throws(CommandError) in
            try readInput(path, byteCountMax: 1 << 20)
        }
        do {
            return try key.withBytes { span throws(TLSError) in
                try SimulatorIdentity(certificateChainPEM: chain, privateKeyPEM: span, deviceAuthorityPEM: devices)
            }
        } catch {
            throw .failed("\(TerminalText.safe(chainPath)): \(error.sentence)")
        }
    }
}

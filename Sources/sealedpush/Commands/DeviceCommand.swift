import APNS
import CommandLineTool
import DeviceLink
import Envelope
import ExtensionHarness
import Glibc
import Keys
import Networking
import NotificationCore
import NotificationServiceExtension
import Opening
import Platform
import Primitives
import RelayClient

struct DeviceCommand: Command {
    static let name = "device"
    static let summary = "stands in for a phone: takes pushes from the simulator, runs app and service extension"
    static let operands = ""
    static let options = [
        Option("--device-key", "FILE", "the device's private keys, from 'keygen device'; its app makes none then"),
        Option("--topic", "BUNDLE-ID", "without --device-key: the bundle id of an app that makes its own keys"),
        Option("--folder", "FOLDER", "keeps the phone's app and keys there; without it they are deleted at the end"),
        Option("--senders", "FILE", "the senders to trust: a line of sender.pub each, or a contact list"),
        Option("--server", "HOST:PORT", "the simulator's port for devices", isRequired: true),
        Option("--ca", "FILE", "the authority to trust instead of the system's"),
        Option("--certificate", "FILE", "the phone's, with its key: 'keygen device-certificate' makes one"),
        Option("--bundle-out", "FILE", "writes the key bundle for senders"),
        Option("--identity-out", "FILE", "writes the identity that senders pin"),
        Option("--token-out", "FILE", "writes the device token in hex, for providers"),
        Option("--web-push-out", "FILE", "makes Web Push keys, and writes p256dh and auth for servers (JSON)"),
        Option("--endpoint-key-out", "FILE", "writes the hash of the app's endpoint key, for its back end (JSON)"),
        Option(
            "--endpoint",
            "NAME=FILE",
            "an endpoint for the server NAME, made once the relay has that hash; writes its subscription (JSON);"
                + " NAME,KEY=FILE for the server with that VAPID key alone",
            isRepeatable: true
        ),
        Option(
            "--endpoint-lifetime",
            "WORD",
            "hour, day, week, month (30 days), quarter or year, after which endpoints made now are gone; without it"
                + " they last until revoked"
        ),
        Option("--revoke-endpoint", "NAME", "revokes a server's endpoint, and destroys its keys", isRepeatable: true),
        Option(
            "--enrol",
            "open|FILE",
            "registers at the relay without a back end: with nothing, or with the ticket in FILE"
        ),
        Option("--registration-out", "FILE", "writes the app's registration for its back end (JSON)"),
        Option(
            "--register",
            "KIND=FILE",
            "a token for another kind of push (KIND:NAME for one of several), written to FILE",
            isRepeatable: true
        ),
        Option("--token", "FILE", "the token of an earlier connection: the same device comes back"),
        Option("--relay", "HOST:PORT", "the address of the app's relay, push.example.com; its authority is --ca"),
        Option(
            "--files",
            "HOST:PORT",
            "the address of the host of attachments, files.example.com; its authority is --ca"
        ),
        Option("--extension", "PROGRAM", "a service extension of your own: an executable with ExtensionHost.run"),
        Option("--screen", "FILE", "draws the lock screen after each push (SVG)"),
        Option(
            "--state",
            "WORDS",
            "its state: locked (since its start), low-power, focus, app-removed, notifications-off"
        ),
        Option("--count", "N", "stops after N pushes"),
        Option("--memory-limit", "MB", "the memory of the extension's process; 24 without it, as on an iPhone"),
        Option("--time-limit", "SECONDS", "the extension's time for a push; 30 without it"),
        inProcess,
        .json, .allowExampleKeys,
    ]
    static let example = """
        Example:
          sealedpush device --device-key keys-example/device.key \\
              --senders keys-example/sender.pub --server localhost:5223 \\
              --ca keys-example/ca.pem --bundle-out device.bundle \\
              --token-out token --allow-example-keys

        Prints what appears on the screen. Ctrl-C or SIGTERM stops it. The extension runs in a process of its own, which
        serves push after push until a rule of iOS ends it. The app runs at the start, if the phone is not locked, and
        for a background push: it opens what came while the phone was locked, and sends what the extension could not.
        """

    /// In NotificationServiceExtension, as the next.
    static let filesHost = "files.example.com"
    static let relayHost = "push.example.com"

    private static let inProcess = Option(
        flag: "--in-process",
        "runs the extension in the device's own process: no memory limit, and a crash ends both"
    )

    let arguments: Arguments
    let server: (host: String, port: UInt16)
    private let count: Int
    private let conditions: Device.Conditions
    let state: DeviceState
    private let isLocked: Bool
    let earlierToken: DeviceToken?
    let registrations: [(registration: TokenRegistration, path: String)]
    let hosts: [SimulatedDevice.HostMapping]

    init(_ arguments: Arguments) throws(CommandError) {
        try arguments.noOperands()
        self.arguments = arguments
        server = try arguments.hostAndPort("--server")
        count = try arguments.number("--count", 1 ... .max) ?? .max
        (state, isLocked) = try arguments.deviceState("--state")
        earlierToken = try arguments.value("--token").map { path throws(CommandError) in
            try arguments.deviceToken(file: path)
        }
        registrations = try arguments.registrations("--register")
        guard arguments.value("--device-key") != nil || arguments.value("--topic") != nil else {
            throw arguments.wrong("--device-key is missing; or --topic, for an app that makes its own keys")
        }
        guard arguments.value("--senders") != nil || arguments.value("--folder") != nil else {
            throw arguments.wrong("--senders is missing")
        }
        guard !isLocked || arguments.value("--folder") != nil else {
            throw arguments.wrong("a locked phone needs its --folder from a run in which it was unlocked")
        }
        let ofApp = [
            "--senders", "--bundle-out", "--identity-out", "--registration-out", "--web-push-out", "--endpoint",
            "--endpoint-key-out", "--endpoint-lifetime", "--revoke-endpoint", "--enrol",
        ]
        for name in ofApp where isLocked {
            guard arguments.value(name) != nil else { continue }
            throw arguments.wrong("the app does not run while the phone is locked; leave \(name) out")
        }
        guard arguments.value("--enrol") == nil || arguments.value("--relay") != nil else {
            throw arguments.wrong("--enrol needs the relay's address; give --relay")
        }
        for name in ["--memory-limit", "--extension"] where arguments.value(name) != nil {
            guard arguments.flag(Self.inProcess) else { continue }
            throw arguments.wrong("\(name) needs a process of the extension's own; leave --in-process out")
        }
        hosts = [
            try arguments.mapping(of: Self.filesHost, "--files"), try arguments.mapping(of: Self.relayHost, "--relay"),
        ]
        var conditions = Device.Conditions()
        conditions.timekeeping = .real
        conditions.process = .reused
        conditions.lock = isLocked ? .beforeFirstUnlock : .unlocked
        if let megabytes = try arguments.number("--memory-limit", 1...4_096) {
            conditions.memoryLimit = Device.MemoryLimit(byteCount: megabytes << 20)
        }
        if let seconds = try arguments.number("--time-limit", 1...3_600) {
            conditions.limits.time = .seconds(seconds)
        }
        conditions.hosts = hosts.map { host in
            Device.HostMapping(
                host.host,
                to: host.actualHost,
                port: host.actualPort,
                authoritiesPath: host.authoritiesPath
            )
        }
        self.conditions = conditions
    }

    func run() async throws(CommandError) {
        try await StopSignal.cancels {
            do throws(CommandError) {
                try await live()
                return .success(())
            } catch {
                return Task.isCancelled ? .success(()) : .failure(error)
            }
        }
    }

    private func live() async throws(CommandError) {
        let container = try AppContainer(at: arguments.value("--folder"))
        let topic = try installKeys(container)
        let app = isLocked ? nil : try launch(container, topic)
        let calls = PhoneCalls(container, lock: conditions.lock)
        let context = try arguments.clientContext(protocol: DeviceFrame.applicationProtocol, identity: try identity())
        let connection: DeviceConnection
        do {
            connection = try await connect(context, try Topic(bundleID: topic.text))
        } catch let error as DeviceLinkError {
            throw .failed(sentence(of: error))
        } catch {
            throw .failed("\(TerminalText.safe(topic.text)) is not a valid topic")
        }
        defer { connection.close() }
        let voIPToken: DeviceToken?
        do { voIPToken = try await register(on: connection) } catch let error as DeviceLinkError {
            throw .failed(sentence(of: error))
        } catch let error as CommandError {
            throw error
        } catch {
            throw .failed("\(error)")
        }
        try await publish(connection.deviceToken, voIPToken, app)
        try await serve(connection, app, calls)
    }

    private var device: Device {
        if arguments.flag(Self.inProcess) { return Device(conditions) { PrincipalClass.make() } }
        let own = ExtensionProgram(path: "/proc/self/exe", arguments: [ExtensionHostCommand.name])
        return Device(process: arguments.value("--extension").map { ExtensionProgram(path: $0) } ?? own, conditions)
    }

    private func serve(
        _ connection: DeviceConnection,
        _ app: PhoneApp?,
        _ calls: PhoneCalls
    ) async throws(CommandError) {
        let log = DeviceLog(printsJSON: arguments.flag(.json))
        let device = device
        try log.printReady()
        try log.print(try await app?.run() ?? [])
        for _ in 0..<count {
            let next: DevicePush?
            do throws(DeviceLinkError) { next = try await connection.next() } catch {
                throw .failed(sentence(of: error))
            }
            guard let push = next else { return }
            do {
                try await take(push, device, app, calls, log)
            } catch let error as SimulatedPushError {
                try log.printNotShown(push, why: error)
            } catch let error as CommandError {
                throw error
            } catch {
                throw .failed("\(error)")
            }
            connection.acknowledge(push)
        }
    }

    /// iOS wakes the app for calls and silent pushes, and the service extension for others.
    private func take(
        _ push: DevicePush,
        _ device: Device,
        _ app: PhoneApp?,
        _ calls: PhoneCalls,
        _ log: DeviceLog
    ) async throws {
        switch push.pushType {
        case .voip:
            try log.print(try await calls.deliver(push.payload), of: push)
        case .background where app != nil:
            try log.printWoken(push)
        // Not the service extension's.
        case .liveactivity, .widgets, .controls, .location: return try log.printOther(push)
        default:
            let shown = try await device.deliver(push.payload)
            try draw(shown)
            return try log.print(shown, of: push, on: device)
        }
        if let app { try log.print(try await app.run()) }
    }

    private func draw(_ shown: ShownNotification) throws(CommandError) {
        guard let path = arguments.value("--screen") else { return }
        try writeOutput(Array(LockScreenPicture(of: shown, appName: "Acme Chat").svg.utf8), to: path)
    }
}

extension DeviceCommand {
    private func connect(_ context: TLSContext, _ topic: Topic) async throws(DeviceLinkError) -> DeviceConnection {
        let loop: EventLoop
        do throws(TransportError) { loop = try EventLoop() } catch { throw .transport(error) }
        return try await .connect(
            host: server.host,
            port: server.port,
            context: context,
            loop: loop,
            topic: topic,
            earlierToken: earlierToken,
            state: state
        )
    }

    private func identity() throws(CommandError) -> TLSIdentity? {
        guard arguments.value("--certificate") != nil else { return nil }
        return try arguments.clientIdentity(advice: "'keygen device-certificate' makes one")
    }

    /// - Returns: PushKit's token for calls.
    private func register(on connection: DeviceConnection) async throws -> DeviceToken? {
        var voIPToken: DeviceToken?
        for (registration, path) in registrations {
            let token = try await connection.register(registration)
            if registration.kind == .voip { voIPToken = token }
            try write(token.hex, to: path, .ownerOnly)
        }
        guard voIPToken == nil, arguments.value("--registration-out") != nil,
            let calls = TokenRegistration(.voip)
        else { return voIPToken }
        // The app registers for calls at each launch.
        return try await connection.register(calls)
    }

    private func sentence(of error: DeviceLinkError) -> String {
        let place = "\(TerminalText.safe(server.host)):\(server.port)"
        switch error {
        case .transport(let error): return "\(place): \(error.sentence)"
        case .refused(.certificateRequired):
            return "\(place): the simulator accepts only devices with a certificate; give --certificate"
        case .refused(.tokenOfAnotherDevice):
            return "\(place): the token is another device's; give that one's --certificate, or no --token"
        case .refused: return "\(place): the simulator refused this device"
        default: return "\(place): the server broke the rules of the device link (\(error))"
        }
    }
}

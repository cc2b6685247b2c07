import APNS
import DeviceLink
import Envelope
import ExtensionHarness
import Glibc
import Keys
import NotificationCore
import NotificationServiceExtension
import Opening
import Transport

/// A phone: connects to the simulator, takes pushes, and runs the service extension on each.
struct DeviceCommand: Command {
    static let name = "device"
    static let summary = "stands in for a phone: takes pushes from the simulator and runs the service extension"
    static let operands = ""
    static let options = [
        Option("--device-key", "FILE", "the device's private keys, from 'keygen device'", isRequired: true),
        Option(
            "--senders",
            "FILE",
            "the senders to trust: a line of sender.pub each, or a contact list",
            isRequired: true
        ),
        Option("--server", "HOST:PORT", "the simulator's port for devices", isRequired: true),
        Option("--ca", "FILE", "the authority to trust instead of the system's"),
        Option("--bundle-out", "FILE", "where to write a fresh key bundle for senders"),
        Option("--token-out", "FILE", "where to write the device token in hex, for providers"),
        Option("--token", "FILE", "the token of an earlier connection: the same device comes back"),
        Option(
            "--files",
            "HOST:PORT",
            "where files.example.com, the host of attachments, is; its authority is --ca"
        ),
        Option("--screen", "FILE", "draws the lock screen after each push (SVG)"),
        Option(
            "--state",
            "WORDS",
            "how the device is: low-power, focus, app-removed, notifications-off, joined by commas"
        ),
        Option("--count", "N", "stops after N pushes"),
        Option("--memory-limit", "MB", "what the extension's process may take; 24 without it, as on an iPhone"),
        Option("--time-limit", "SECONDS", "what the extension may take for a push; 30 without it"),
        inProcess,
        .json, .allowExampleKeys,
    ]
    static let example = """
        Example:
          sealedpush device --device-key keys-example/device.key --senders keys-example/sender.pub \\
              --server localhost:5223 --ca keys-example/ca.pem --bundle-out device.bundle --token-out token \\
              --allow-example-keys

        Prints what the person sees. Ctrl-C or SIGTERM stops it. The extension runs in a process of its own, which
        serves push after push until a rule of iOS ends it.
        """

    /// Where NotificationServiceExtension, which stands for an app's, looks for attachments.
    static let filesHost = "files.example.com"

    private static let inProcess = Option(
        flag: "--in-process",
        "runs the extension in the device's own process: no memory limit, and a crash ends both"
    )

    private let arguments: Arguments
    private let server: (host: String, port: UInt16)
    private let count: Int
    private let conditions: Device.Conditions
    private let state: DeviceState
    private let earlierToken: DeviceToken?

    init(_ arguments: Arguments) throws(CommandFailure) {
        try arguments.noOperands()
        self.arguments = arguments
        server = try arguments.hostAndPort("--server")
        count = try arguments.number("--count", 1 ... .max) ?? .max
        state = try arguments.deviceState("--state")
        earlierToken = try arguments.value("--token").map { path throws(CommandFailure) in
            try arguments.deviceToken(file: path)
        }
        guard !arguments.flag(Self.inProcess) || arguments.value("--memory-limit") == nil else {
            throw arguments.wrong("--memory-limit needs a process of the extension's own; leave --in-process out")
        }
        var conditions = Device.Conditions()
        conditions.timekeeping = .real
        conditions.process = .reused
        if let megabytes = try arguments.number("--memory-limit", 1...4_096) {
            conditions.memoryLimit = Device.MemoryLimit(byteCount: megabytes << 20)
        }
        if let seconds = try arguments.number("--time-limit", 1...3_600) {
            conditions.limits.time = .seconds(seconds)
        }
        if arguments.value("--files") != nil {
            let (host, port) = try arguments.hostAndPort("--files")
            conditions.hosts = [
                Device.HostMapping(
                    Self.filesHost,
                    to: host,
                    port: port,
                    authoritiesPath: try arguments.required("--ca")
                )
            ]
        }
        self.conditions = conditions
    }

    func run() async throws(CommandFailure) {
        try await StopSignal.cancels {
            do throws(CommandFailure) {
                try await live()
                return .success(())
            } catch {
                // Stopped, and what was under way says so in its own words.
                return Task.isCancelled ? .success(()) : .failure(error)
            }
        }
    }

    private func live() async throws(CommandFailure) {
        let container = try AppContainer()
        let topic = try install(into: container)
        let context = try arguments.clientContext(protocol: DeviceFrame.applicationProtocol)
        let connection: DeviceConnection
        do throws(DeviceLinkError) { connection = try await connect(context, topic) } catch {
            throw .failed(sentence(of: error))
        }
        defer { connection.close() }
        try publishToken(connection.deviceToken)
        try await serve(connection)
    }

    private var device: Device {
        if arguments.flag(Self.inProcess) { return Device(conditions) { PrincipalClass.make() } }
        let program = ExtensionProgram(path: "/proc/self/exe", arguments: [ExtensionHostCommand.name])
        return Device(process: program, conditions)
    }

    private func serve(_ connection: DeviceConnection) async throws(CommandFailure) {
        let log = DeviceLog(printsJSON: arguments.flag(.json))
        let device = device
        try log.printReady()
        for _ in 0..<count {
            let next: DevicePush?
            do throws(DeviceLinkError) { next = try await connection.next() } catch {
                throw .failed(sentence(of: error))
            }
            guard let push = next else { return }
            do {
                let shown = try await device.deliver(push.payload)
                try draw(shown)
                try log.print(shown, of: push)
            } catch let error as SimulatedPushError {
                try log.printNotShown(push, why: error)
            } catch let error as CommandFailure {
                throw error
            } catch {
                throw .failed("\(error)")
            }
            connection.acknowledge(push)
        }
    }

    private func draw(_ shown: ShownNotification) throws(CommandFailure) {
        guard let path = arguments.value("--screen") else { return }
        try writeOutput(Array(LockScreenPicture(of: shown, appName: "Acme Chat").svg.utf8), to: path)
    }

    /// A token lets whoever has the team's key push to this device: only the owner may read the file.
    private func publishToken(_ token: DeviceToken) throws(CommandFailure) {
        guard let path = arguments.value("--token-out") else { return }
        do {
            try WholeFile.write(Array((token.hex + "\n").utf8), to: path, access: .ownerOnly)
        } catch {
            throw .file(error)
        }
    }

    /// The app's first launch: its keys and its pinned senders go where the extension finds them.
    private func install(into container: borrowing AppContainer) throws(CommandFailure) -> Topic {
        let keyPath = try arguments.required("--device-key")
        let sendersPath = try arguments.required("--senders")
        do throws(FileError) {
            let keys = try DeviceKeys(keyFile: keyPath, exampleKeys: arguments.exampleKeys)
            let contacts = try ContactList(file: sendersPath)
            try container.install(keys, contacts)
            if let path = arguments.value("--bundle-out") {
                let line = Base64URL.string(keys.bundle(now: .now)) + "\n"
                try WholeFile.write(Array(line.utf8), to: path, access: .everyone)
            }
            do { return try Topic(keys.topic.text) } catch {
                throw FileError.malformed(path: keyPath, expected: "keys of an app")
            }
        } catch {
            throw .file(error)
        }
    }

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

    private func sentence(of error: DeviceLinkError) -> String {
        let place = "\(TerminalText.safe(server.host)):\(server.port)"
        switch error {
        case .transport(let error): return "\(place): \(error.sentence)"
        case .refused(.certificateRequired):
            return "\(place): the simulator takes devices with a certificate of its own only"
        case .refused: return "\(place): the simulator did not take this device"
        default: return "\(place): the server broke the rules of the device link (\(error))"
        }
    }
}

extension Arguments {
    fileprivate func deviceState(_ name: String) throws(CommandFailure) -> DeviceState {
        var state: DeviceState = []
        for word in (value(name) ?? "").split(separator: ",") {
            switch word {
            case "low-power": state.insert(.lowPower)
            case "focus": state.insert(.focus)
            case "app-removed": state.insert(.appRemoved)
            case "notifications-off": state.insert(.notificationsOff)
            default: throw wrong("\(name) takes low-power, focus, app-removed, notifications-off")
            }
        }
        return state
    }
}

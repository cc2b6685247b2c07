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
        Option("--count", "N", "stops after N pushes"),
        .json, .allowExampleKeys,
    ]
    static let example = """
        Example:
          sealedpush device --device-key keys-example/device.key --senders keys-example/sender.pub \\
              --server localhost:5223 --ca keys-example/ca.pem --bundle-out device.bundle --token-out token \\
              --allow-example-keys

        Prints what the person sees. Ctrl-C or SIGTERM stops it.
        """

    private let arguments: Arguments
    private let server: (host: String, port: UInt16)
    private let count: Int

    init(_ arguments: Arguments) throws(CommandFailure) {
        try arguments.noOperands()
        self.arguments = arguments
        server = try arguments.hostAndPort("--server")
        guard let text = arguments.value("--count") else {
            count = .max
            return
        }
        guard let count = Int(text), count > 0 else { throw arguments.wrong("--count is a number from 1") }
        self.count = count
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

    private func serve(_ connection: DeviceConnection) async throws(CommandFailure) {
        let log = DeviceLog(printsJSON: arguments.flag(.json))
        let runner = ExtensionRunner { PrincipalClass.make() }
        try log.printReady()
        for _ in 0..<count {
            let next: DevicePush?
            do throws(DeviceLinkError) { next = try await connection.next() } catch {
                throw .failed(sentence(of: error))
            }
            guard let push = next else { return }
            do {
                try log.print(try await runner.deliver(push.payload), of: push)
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
            try install(keys, contacts, into: container)
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

    private func install(
        _ keys: borrowing DeviceKeys,
        _ contacts: ContactList,
        into container: borrowing AppContainer
    ) throws(FileError) {
        do throws(SharedContainer.InstallError) {
            try SharedContainer(path: container.groupPath).install(keys: keys, contacts: contacts)
        } catch {
            switch error {
            case .file(let error): throw error
            case .keys(.store(.system(let call, let code))):
                throw .system(call: call, path: container.groupPath, code: code)
            case .window(.system(let call, let code)):
                throw .system(call: call, path: container.groupPath, code: code)
            case .keys, .window: throw .malformed(path: container.groupPath, expected: "a folder for keys")
            }
        }
    }

    private func connect(_ context: TLSContext, _ topic: Topic) async throws(DeviceLinkError) -> DeviceConnection {
        let loop: EventLoop
        do throws(TransportError) { loop = try EventLoop() } catch { throw .transport(error) }
        return try await .connect(host: server.host, port: server.port, context: context, loop: loop, topic: topic)
    }

    private func sentence(of error: DeviceLinkError) -> String {
        let place = "\(TerminalText.safe(server.host)):\(server.port)"
        switch error {
        case .transport(let error): return "\(place): \(error.sentence)"
        case .refused: return "\(place): the simulator did not take this device"
        default: return "\(place): the server broke the rules of the device link (\(error))"
        }
    }
}

import Envelope
import Glibc

/// The whole way of one message and its picture, each station a process: simulator, host of files, device, the device's
/// service extension, sender, provider.
/// This one only starts them and prints what two of them report: it never reads the message.
struct DemoCommand: Command {
    static let name = "demo"
    static let summary = "sends a sealed message from a file to a simulated lock screen"
    static let operands = ""
    static let options = [
        Option("--keys", "FOLDER", "the example keys; keys-example without it"),
        Option("--message", "FILE", "the message; FOLDER/message.json without it"),
        Option("--picture", "FILE", "a PNG to attach; FOLDER/picture.png without it"),
        Option("--screen", "FILE", "draws the lock screen (SVG)"),
    ]
    static let example = """
        Example:
          sealedpush demo --message keys-example/message.json --screen screen.svg
        """

    private static let topic = "com.example.chat"
    private let keys: String
    private let message: String
    private let picture: String
    private let screen: String?

    init(_ arguments: Arguments) throws(CommandFailure) {
        try arguments.noOperands()
        keys = arguments.value("--keys") ?? "keys-example"
        message = arguments.value("--message") ?? keys + "/message.json"
        picture = arguments.value("--picture") ?? keys + "/picture.png"
        screen = arguments.value("--screen")
    }

    func run() throws(CommandFailure) {
        guard unsafe access(keys + "/provider.p8", R_OK) == 0 else {
            throw .failed(
                "\(TerminalText.safe(keys)): the example keys are not there; run the demo in the checkout, "
                    + "or pass --keys"
            )
        }
        // From here on a signal ends the waiting for a child, and then everything is tidied up.
        let stop = try StopSignal()
        let folder = try TemporaryFolder("demo")
        let simulator = try startSimulator(stop)
        let ports = try simulator.next(event: "ready")
        let attachment = DemoAttachment(keys: keys, folder: folder.path, stop: stop)
        let files = try attachment.startHost()
        let filesPort = try files.next(event: "ready").integer("port")
        let device = try startDevice(folder.path, port: try ports.integer("device-port"), filesPort: filesPort, stop)
        _ = try device.next(event: "ready")
        try step(1, "simulator", "takes Apple's place: TLS and HTTP/2 on 127.0.0.1:\(try ports.integer("push-port"))")
        try step(2, "files", "a host for what does not fit into a push: HTTPS on 127.0.0.1:\(filesPort)")
        try step(3, "device", "connected over TLS and published its key bundle")

        let storedByteCount = try attachment.upload(picture, port: filesPort)
        try step(4, "sender", "sealed \(TerminalText.safe(picture)) and uploaded it: \(storedByteCount) bytes")
        let sealed = try seal(folder.path, pointer: attachment.pointerPath, stop)
        let byteCount = try sealed.integer("bytes")
        try step(5, "sender", "sealed \(TerminalText.safe(message)) for the device: \(byteCount) bytes")
        let answer = try send(folder.path, port: try ports.integer("push-port"), stop)
        try step(6, "provider", "pushed it; APNs answered \(try answer.integer("status"))")

        let seen = try simulator.next(event: "accepted")
        let shown = try device.next(event: "shown")
        try step(7, "extension", try shown.text("why"))
        try Output.print("")
        try Output.print(try DemoScreen(seen: seen, shown: shown).text)
        if let screen { try Output.print("\nThe lock screen as a picture: \(TerminalText.safe(screen))") }
        for process in [device, files, simulator] { process.stop() }
    }

    private func startSimulator(_ stop: StopSignal) throws(CommandFailure) -> ChildProcess {
        try ChildProcess(
            [
                "simulate", "--json", "--allow-example-keys", "--port", "0", "--device-port", "0",
                "--certificate", keys + "/simulator.pem", "--certificate-key", keys + "/simulator.key",
                "--provider-key", keys + "/provider.pub.pem", "--key-id", "EXAMPLEKEY", "--team-id", "EXAMPLTEAM",
                "--profile", "spec",
            ],
            stop: stop
        )
    }

    private func startDevice(
        _ folder: String,
        port: Int64,
        filesPort: Int64,
        _ stop: StopSignal
    ) throws(CommandFailure) -> ChildProcess {
        try ChildProcess(
            [
                "device", "--json", "--allow-example-keys", "--device-key", keys + "/device.key",
                "--senders", keys + "/sender.pub", "--server", "localhost:\(port)", "--ca", keys + "/ca.pem",
                "--files", "localhost:\(filesPort)",
                "--bundle-out", folder + "/device.bundle", "--token-out", folder + "/token",
            ] + (screen.map { ["--screen", $0] } ?? []),
            stop: stop
        )
    }

    private func seal(_ folder: String, pointer: String, _ stop: StopSignal) throws(CommandFailure) -> JSONValue {
        let sender = try ChildProcess(
            [
                "seal", message, "--json", "--allow-example-keys", "--sender-key", keys + "/sender.key",
                "--bundle", folder + "/device.bundle", "--identity", keys + "/identity.pub", "--topic", Self.topic,
                "--placeholder-title", "Acme Chat", "--out", folder + "/push.json", "--attachment", pointer,
            ],
            stop: stop
        )
        let report = try sender.next()
        try sender.wait()
        return report
    }

    private func send(_ folder: String, port: Int64, _ stop: StopSignal) throws(CommandFailure) -> JSONValue {
        let provider = try ChildProcess(
            [
                "send", folder + "/push.json", "--json", "--allow-example-keys", "--to-file", folder + "/token",
                "--topic", Self.topic, "--provider-key", keys + "/provider.p8", "--key-id", "EXAMPLEKEY",
                "--team-id", "EXAMPLTEAM", "--server", "localhost:\(port)", "--ca", keys + "/ca.pem",
            ],
            stop: stop
        )
        let report = try provider.next()
        try provider.wait()
        return report
    }

    private func step(_ number: Int, _ who: String, _ what: String) throws(CommandFailure) {
        try Output.print("\(number)  \(who)\(String(repeating: " ", count: 11 - who.count))\(what)")
    }
}

extension JSONValue {
    /// A member that another command of this program always prints.
    func integer(_ name: String) throws(CommandFailure) -> Int64 {
        guard case .integer(let number) = self[name]?.content else { throw .failed("no \"\(name)\" was reported") }
        return number
    }

    func text(_ name: String) throws(CommandFailure) -> String {
        guard let text = self[name]?.string else { throw .failed("no \"\(name)\" was reported") }
        return text
    }
}

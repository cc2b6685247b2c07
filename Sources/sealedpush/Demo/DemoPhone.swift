import ChildProcesses
import CommandLineTool
import Envelope
import Keys

/// Device, and its process while on.
final class DemoPhone {
    let id: String
    private let keys: String
    private let folder: String
    private let stop: StopSignal
    private let hasExampleKeys: Bool
    private var process: ChildProcess?

    /// - Parameter hasExampleKeys: False: new keys are made.
    init(_ id: String, keys: String, folder: String, hasExampleKeys: Bool, stop: StopSignal) throws(CommandError) {
        self.id = id
        self.keys = keys
        self.folder = folder
        self.stop = stop
        self.hasExampleKeys = hasExampleKeys
        guard !hasExampleKeys else { return }
        let keygen = try ChildProcess(
            ["keygen", "device", "--topic", RelayConfiguration.topic, "--out", ownKeys],
            stop: stop
        )
        try keygen.wait()
    }

    /// The key that a sender pins.
    var identity: String { hasExampleKeys ? keys + "/identity.pub" : ownKeys + "/identity.pub" }
    private var deviceKey: String { hasExampleKeys ? keys + "/device.key" : ownKeys + "/device.key" }
    private var ownKeys: String { "\(folder)/\(id)-keys" }
    private var bundlePath: String { "\(folder)/\(id).bundle" }
    private var tokenPath: String { "\(folder)/\(id).token" }

    func switchOn(port: Int64, filesPort: Int64, relayPort: Int64, screen: String? = nil) throws(CommandError) {
        let device = try ChildProcess(
            [
                "device", "--json", "--allow-example-keys", "--device-key", deviceKey,
                "--senders", keys + "/sender.pub", "--server", "localhost:\(port)", "--ca", keys + "/ca.pem",
                "--files", "localhost:\(filesPort)", "--relay", "localhost:\(relayPort)", "--bundle-out", bundlePath,
                "--token-out", tokenPath,
            ] + (process == nil ? [] : ["--token", tokenPath]) + (screen.map { ["--screen", $0] } ?? []),
            stop: stop
        )
        process = device
        _ = try device.next(event: "ready")
    }

    func switchOff() { process?.stop() }

    func nextShown() throws(CommandError) -> JSONValue {
        guard let process else { throw .failed("the device was never switched on") }
        return try process.next(event: "shown")
    }

    func registration() throws(CommandError) -> [UInt8] {
        let token = try text(of: tokenPath)
        let bundle = try text(of: bundlePath)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("token", token)
            writer.member("topic", RelayConfiguration.topic)
            writer.member("environment", RelayConfiguration.environment)
            writer.member("bundle", bundle)
            writer.member("language", "en")
            writer.member("region", "GB")
        }
        return writer.bytes
    }

    private func text(of path: String) throws(CommandError) -> String {
        do throws(FileError) {
            let bytes = try WholeFile.read(path, byteCountMax: 1 << 16)
            return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        } catch {
            throw .file(error)
        }
    }
}

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
    /// Folder of its app and keys, which stays; nil: a temporary one.
    private let home: String?

    /// - Parameters:
    ///   - hasExampleKeys: False: new keys are made.
    ///   - home: of a phone that can be locked; nil for none.
    init(
        _ id: String,
        keys: String,
        folder: String,
        hasExampleKeys: Bool,
        home: String? = nil,
        stop: StopSignal
    ) throws(CommandError) {
        self.id = id
        self.home = home
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
    var deviceKey: String { hasExampleKeys ? keys + "/device.key" : ownKeys + "/device.key" }
    private var ownKeys: String { "\(folder)/\(id)-keys" }
    private var bundlePath: String { "\(folder)/\(id).bundle" }
    var tokenPath: String { "\(folder)/\(id).token" }

    /// - Parameter isLocked: Restarted, and not unlocked since.
    func switchOn(
        port: Int64,
        filesPort: Int64,
        relayPort: Int64,
        screen: String? = nil,
        isLocked: Bool = false
    ) throws(CommandError) {
        let own =
            isLocked
            ? ["--state", "locked"] : ["--senders", keys + "/sender.pub", "--bundle-out", bundlePath]
        let device = try ChildProcess(
            [
                "device", "--json", "--allow-example-keys", "--device-key", deviceKey,
                "--server", "localhost:\(port)", "--ca", keys + "/ca.pem",
                "--files", "localhost:\(filesPort)", "--relay", "localhost:\(relayPort)", "--token-out", tokenPath,
            ] + own + (home.map { ["--folder", $0] } ?? []) + (process == nil ? [] : ["--token", tokenPath])
                + (screen.map { ["--screen", $0] } ?? []),
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

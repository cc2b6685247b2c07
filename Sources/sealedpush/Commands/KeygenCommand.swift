import CommandLineTool
import Envelope
import Glibc
import Keys
import NotificationCore
import Opening
import Primitives
import Sealing
import WebPush

/// Private keys: mode 0600, never overwritten.
struct KeygenCommand: Command {
    static let name = "keygen"
    static let summary =
        "makes keys of devices and senders, key bundles, Web Push subscriptions, simulated devices' certificates"
    static let operands = "device|sender|bundle|web-push|device-certificate"
    private static let markAsExample = Option(
        flag: "--example",
        "marks private keys as published: they load only with --allow-example-keys"
    )
    static let options = [
        Option("--topic", "BUNDLE-ID", "device: the app's bundle id"),
        Option(
            "--out",
            "PATH",
            "device, sender: a folder, made if missing; otherwise a file",
            isRequired: true
        ),
        Option("--device-key", "FILE", "bundle: the device's private keys"),
        Option("--simulator", "FOLDER", "device-certificate: the folder of a simulator, made if missing"),
        markAsExample,
        .allowExampleKeys,
    ]
    static let example = """
        Example:
          sealedpush keygen device --topic com.example.chat --out my-device
          sealedpush keygen sender --out my-sender

        A device's folder gets device.key (private), identity.pub (to pin) and device.bundle (for senders, valid for 60
        days; 'keygen bundle' makes a new one). A sender's gets sender.key (private) and sender.pub (to pin). 'keygen
        web-push' writes a subscription's private keys, and prints p256dh and auth as its server needs them.
        'keygen device-certificate' writes what 'device --certificate' shows a simulator: its key and its certificate.
        """

    private enum Kind: String {
        case device, sender, bundle
        case webPush = "web-push"
        case deviceCertificate = "device-certificate"
    }

    private let kind: Kind
    private let arguments: Arguments
    private let out: String
    private let isExample: Bool

    init(_ arguments: Arguments) throws(CommandError) {
        let word = try arguments.operand("device, sender, bundle, web-push or device-certificate")
        guard let kind = Kind(rawValue: word) else {
            throw arguments.wrong(
                "the operand must be device, sender, bundle, web-push or device-certificate"
            )
        }
        self.kind = kind
        self.arguments = arguments
        out = try arguments.required("--out")
        isExample = arguments.flag(Self.markAsExample)
    }

    func run() throws(CommandError) {
        switch kind {
        case .device: try makeDevice()
        case .sender: try makeSender()
        case .bundle: try makeBundle()
        case .webPush: try makeWebPush()
        case .deviceCertificate:
            try SimulatorFolder.activateDevice(folder: try arguments.required("--simulator"), out: try unused(out))
        }
    }

    private func makeDevice() throws(CommandError) {
        let topic = try arguments.topic()
        var random = SystemRandom()
        let keys = DeviceKeys(topic: topic, random: &random)
        try makeFolder()
        let keyPath = try unused(out + "/device.key")
        do throws(FileError) {
            try keys.write(to: keyPath, isExample: isExample)
            try WholeFile.write(line(keys.identity.text), to: out + "/identity.pub", access: .everyone)
            try WholeFile.write(
                line(Base64URL.string(keys.bundle(now: .now))),
                to: out + "/device.bundle",
                access: .everyone
            )
        } catch {
            throw .file(error)
        }
    }

    private func makeSender() throws(CommandError) {
        let sender = SenderIdentity()
        try makeFolder()
        let keyPath = try unused(out + "/sender.key")
        do throws(FileError) {
            try sender.write(to: keyPath, isExample: isExample)
            try WholeFile.write(line(sender.publicKey.text), to: out + "/sender.pub", access: .everyone)
        } catch {
            throw .file(error)
        }
    }

    private func makeBundle() throws(CommandError) {
        let devicePath = try arguments.required("--device-key")
        do throws(FileError) {
            let keys = try DeviceKeys(keyFile: devicePath, exampleKeys: arguments.exampleKeys)
            try WholeFile.write(line(Base64URL.string(keys.bundle(now: .now))), to: out, access: .everyone)
        } catch {
            throw .file(error)
        }
    }

    /// Only to standard output: with both values, anyone can write messages.
    private func makeWebPush() throws(CommandError) {
        var random = SystemRandom()
        let keys: WebPushKeys
        do throws(P256Error) {
            keys = try WebPushKeys(random: &random)
        } catch {
            throw .failed("no P-256 key could be made; nothing was written")
        }
        let keyPath = try unused(out)
        do throws(FileError) {
            try keys.write(to: keyPath, isExample: isExample)
        } catch {
            throw .file(error)
        }
        let subscription = WebPushSubscription(keys)
        try Output.print("p256dh \(subscription.p256dh)\nauth \(subscription.auth)")
    }

    private func makeFolder() throws(CommandError) {
        guard unsafe mkdir(out, 0o777) == 0 || errno == EEXIST else {
            throw .file(.system(call: "mkdir", path: out, code: errno))
        }
    }

    /// Lost private keys cannot be restored. Dangling links count.
    private func unused(_ path: String) throws(CommandError) -> String {
        var status = stat()
        guard unsafe lstat(path, &status) != 0 else {
            throw .failed("\(TerminalText.safe(path)) exists already and was not changed; move it away first")
        }
        return path
    }

    private func line(_ text: String) -> [UInt8] { Array((text + "\n").utf8) }
}

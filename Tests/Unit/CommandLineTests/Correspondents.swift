import Envelope
import HPKE
import Keys
import Primitives
import TestSupport

@testable import Opening
@testable import Sealing

/// A sender and a device of the test's own, as files; and payloads that no command makes, written as files too.
struct Correspondents: ~Copyable {
    static let options = ["--device-key", "their.key", "--senders", "their.senders"]

    private let folder: Folder
    private let sender: SenderIdentity
    private let device: DeviceKeys
    private var random: SeededRandom

    init(seed: UInt64, in folder: Folder) throws {
        var random = SeededRandom(seed: seed)
        let topic = try BundleID(Workplace.topic)
        let sender = SenderIdentity(random: &random)
        let device = DeviceKeys(topic: topic, random: &random)
        try device.write(to: folder.file("their.key"))
        try folder.write("their.senders", sender.publicKey.text + "\n")
        try folder.write("their.identity", device.identity.text + "\n")
        self.folder = folder
        self.sender = sender
        self.device = device
        self.random = random
    }

    func writeBundle(_ name: String, at time: Timestamp) throws {
        try folder.write(name, Base64URL.string(device.bundle(now: time)) + "\n")
    }

    func writePush(_ name: String, sentAt time: Timestamp, lifetime: Duration = .seconds(60)) throws {
        let sealed = try sender.seal(Message(body: "Hello"), for: try recipient(), sentAt: time, lifetime: lifetime)
        try write(name, sealed.envelope)
    }

    /// Writes a push whose frame is honest but for its signature: `signature` makes its 64 bytes from the right ones.
    mutating func writePush(_ name: String, signature: ([UInt8]) -> [UInt8]) throws {
        let recipient = try recipient()
        let now = Timestamp.now
        var frame = Frame(
            messageID: random.bytes(count: 16),
            sentAt: now.milliseconds,
            expiresAt: now.advanced(by: .seconds(3_600)).milliseconds,
            senderKey: sender.publicKey.rawRepresentation,
            flags: [],
            body: Array(#"{"body":"Hello"}"#.utf8)
        )
        let input = Binding.signatureInput(
            info: recipient.info,
            frameHead: frame.head,
            bodyDigest: SHA256.hash(frame.body)
        )
        frame.signature = signature(sender.key.signature(over: input))
        let sealed = try HPKE.seal(
            frame.bytes(byteCount: PushClass.alert.frameByteCount(.x25519)),
            to: recipient.prekey.key,
            info: recipient.info,
            random: &random
        )
        try write(
            name,
            Envelope(
                pushClass: .alert,
                header: recipient.header,
                encapsulatedKey: sealed.encapsulatedKey,
                ciphertext: sealed.ciphertext
            )
        )
    }

    private func recipient() throws -> Recipient {
        let bundle = device.bundle(now: .now)
        return try Recipient(
            bundle: bundle,
            pinnedIdentity: device.identity,
            topic: device.topic,
            withoutPinsAt: .now
        )
    }

    private func write(_ name: String, _ envelope: Envelope) throws {
        let placeholder = try Placeholder(title: "", body: "You have a new message")
        let trace = Trace(bytes: [UInt8](repeating: 1, count: 16))
        try folder.write(name, bytes: Payload.alert(placeholder: placeholder, envelope: envelope, trace: trace))
    }
}

import Envelope
import HPKE
import Keys
import Primitives
import TestSupport

@testable import Opening
@testable import Sealing

/// A sender and a device that know each other, made from a seed.
struct Pair: ~Copyable {
    static let start = Timestamp(milliseconds: 1_800_000_000_000)
    static let topic = "com.example.chat"

    let sender: SenderIdentity
    let device: DeviceKeys
    var random: SeededRandom

    init(seed: UInt64, topic: String = Pair.topic) throws {
        random = SeededRandom(seed: seed)
        sender = SenderIdentity(random: &random)
        device = DeviceKeys(topic: try BundleID(topic), random: &random)
    }

    var opener: MessageOpener {
        MessageOpener(keyRing: device.keyRing, senders: ContactList(people: [sender.publicKey]))
    }

    func recipient() throws -> Recipient {
        try Recipient(
            bundle: device.bundle(now: Self.start),
            pinnedIdentity: device.identity,
            topic: device.topic,
            withoutPinsAt: Self.start
        )
    }

    mutating func seal(
        _ message: Message,
        sentAt: Timestamp = Pair.start,
        lifetime: Duration = .seconds(3_600),
        overflow: Message.Overflow = .shorten
    ) throws -> SealedMessage {
        try sender.seal(
            message,
            for: try recipient(),
            sentAt: sentAt,
            lifetime: lifetime,
            overflow: overflow,
            pushClass: .alert,
            random: &random
        )
    }

    /// Seals a frame that an honest sender would not make, signed or not.
    mutating func seal(frame: Frame, signs: Bool = true, change: (inout [UInt8]) -> Void = { _ in }) throws -> Envelope
    {
        let recipient = try recipient()
        var frame = frame
        if signs {
            frame.signature = sender.key.signature(
                over: Binding.signatureInput(
                    info: recipient.info,
                    frameHead: frame.head,
                    bodyDigest: SHA256.hash(frame.body)
                )
            )
        }
        var plaintext = frame.bytes(byteCount: PushClass.alert.frameByteCount(.x25519))
        change(&plaintext)
        let sealed = try HPKE.seal(plaintext, to: recipient.prekey.key, info: recipient.info, random: &random)
        return Envelope(
            pushClass: .alert,
            header: recipient.header,
            encapsulatedKey: sealed.encapsulatedKey,
            ciphertext: sealed.ciphertext
        )
    }

    func frame(
        body: String = #"{"title":"Ada","body":"Hello"}"#,
        sentAt: UInt64 = Pair.start.milliseconds,
        expiresAt: UInt64 = Pair.start.milliseconds + 1_000,
        flags: UInt16 = 0
    ) -> Frame {
        Frame(
            messageID: [UInt8](repeating: 1, count: 16),
            sentAt: sentAt,
            expiresAt: expiresAt,
            senderKey: sender.publicKey.rawRepresentation,
            flags: FrameFlags(rawValue: flags),
            body: Array(body.utf8)
        )
    }
}

extension MessageOpener {
    /// A tool's opener: without a memory.
    init(keyRing: KeyRing, senders: ContactList) {
        self.init(keyRing: keyRing, contacts: senders, replay: .none)
    }

    func outcome(sealedField: String, now: Timestamp) -> Outcome { open(sealedField: sealedField, now: now).outcome }
}

extension Envelope {
    var field: String { String(decoding: sealedField, as: UTF8.self) }
}

extension String {
    /// The `sealed` field of bytes of any length.
    init(sealedFieldOf bytes: [UInt8]) { self = Base64URL.string(bytes) }
}

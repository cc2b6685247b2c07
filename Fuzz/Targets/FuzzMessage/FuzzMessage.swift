import Envelope
import FuzzSupport
import HPKE
import Keys
import Opening
import Primitives
import Sealing

/// What a trusted sender may seal, well signed, whatever is in it: opening it ends in an outcome, and in the right one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessage(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    guard let frame = correspondents.frame(input.bytes) else { return -1 }
    let field = correspondents.seal(frame)
    switch correspondents.open(field) {
    case .opened(let message):
        require(frame.flags.rawValue >> 8 == 0, "unknown critical flags are not passed over")
        require(frame.expiresAt > correspondents.now.milliseconds, "what has expired is not shown")
        require(frame.sentAt < frame.expiresAt, "time runs forward")
        require(message.messageID == frame.messageID, "the message is the one that was sealed")
        require(message.sender.rawRepresentation == frame.senderKey, "its sender is who signed it")
        require(isBody(frame.body), "what is shown was in the body")
    case .notSealed, .unknownKey, .unverifiedSender, .keysUnavailable:
        require(false, "it is sealed for this device by somebody it knows")
    default:
        // Malformed, unsupported, expired, clock untrusted: all can be.
        break
    }
    return 0
}

private func isBody(_ bytes: [UInt8]) -> Bool {
    do {
        _ = try Message(sealedBody: bytes)
        return true
    } catch {
        return false
    }
}

private let correspondents = Correspondents()

/// A sender and a device that know each other. A class only because keys cannot be copied.
private final class Correspondents: Sendable {
    let now = Timestamp(milliseconds: 1_800_000_000_000)

    private let senderKey: Ed25519PrivateKey
    private let opener: MessageOpener
    private let prekey: PublicPrekey
    private let header: EnvelopeHeader
    private let info: [UInt8]

    init() {
        var random = FixedRandom(seed: 1)
        senderKey = Ed25519PrivateKey(random: &random)
        do {
            let topic = try BundleID("com.example.chat")
            let device = DeviceKeys(topic: topic, random: &random)
            let bundle = try KeyBundle(
                verifying: device.bundle(now: now),
                pinnedIdentity: device.identity,
                topic: topic,
                now: now
            )
            prekey = bundle.entries[0].prekey
            header = EnvelopeHeader(suite: prekey.suite, prekeyID: prekey.id(identity: device.identity))
            info = Binding.info(
                header: header,
                topic: topic,
                identityKey: device.identity.rawRepresentation,
                prekeyFingerprint: prekey.fingerprint(identity: device.identity)
            )
            opener = MessageOpener(
                keyRing: device.keyRing,
                senders: TrustedSenders([SenderKey(senderKey.publicKey)])
            )
        } catch {
            fatalError("fixed keys can be made")
        }
    }

    /// flags u16 ‖ seconds from now to sent-at i16 ‖ seconds from there to expires-at u16 ‖ body.
    func frame(_ bytes: [UInt8]) -> Frame? {
        var reader = ByteReader(bytes[...])
        guard let flags = reader.take(UInt16.self), let age = reader.take(UInt16.self),
            let lifetime = reader.take(UInt16.self), let body = reader.take(reader.remainingByteCount),
            (Frame.bodyByteCountMin...PushClass.alert.bodyByteCountMax(prekey.suite)).contains(body.count)
        else { return nil }
        let sentAt = Int64(now.milliseconds) + Int64(Int16(bitPattern: age)) * 1_000
        return Frame(
            messageID: Array(SHA256.hash(bytes).prefix(16)),
            sentAt: UInt64(sentAt),
            expiresAt: UInt64(sentAt) + UInt64(lifetime) * 16_000,
            senderKey: senderKey.publicKey.rawRepresentation,
            flags: FrameFlags(rawValue: flags),
            body: body
        )
    }

    func seal(_ frame: Frame) -> String {
        var frame = frame
        frame.signature = senderKey.signature(
            over: Binding.signatureInput(info: info, frameHead: frame.head, bodyDigest: SHA256.hash(frame.body))
        )
        var random = FixedRandom(seed: 2)
        do {
            let plaintext = frame.bytes(byteCount: PushClass.alert.frameByteCount(prekey.suite))
            let sealed = try HPKE.seal(plaintext, to: prekey.key, info: info, random: &random)
            let envelope = Envelope(
                pushClass: .alert,
                header: header,
                encapsulatedKey: sealed.encapsulatedKey,
                ciphertext: sealed.ciphertext
            )
            return String(decoding: envelope.sealedField, as: UTF8.self)
        } catch {
            fatalError("a good prekey can be sealed to")
        }
    }

    func open(_ field: String) -> Outcome { opener.open(sealedField: field, now: now) }
}

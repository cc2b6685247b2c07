import Envelope
import HPKE
import Keys
import Primitives
import TestSupport

/// The making of one push: honest, unless a step is changed.
struct PushRecipe {
    var pushClass = PushClass.alert
    var body = Array(#"{"title":"Ada","body":"Hello"}"#.utf8)
    var messageID: [UInt8]
    var sentAt = Actors.start
    var expiresAt = Actors.start + 3_600_000
    var flags: UInt16 = 0
    var senderSeed: [UInt8]
    /// SK in the frame; the signer's own key unless it is replaced.
    var senderKey: [UInt8]
    var prekeySecret: [UInt8]
    var protectionClass = ProtectionClass.afterFirstUnlock
    /// The sender's binding: the recipient's own values, unless it errs or cheats.
    var topic = Actors.topic
    var identity: IdentityKey
    var trace: [UInt8]

    /// Steps that a cheat replaces.
    var changeInfo: (inout [UInt8]) -> Void = { _ in }
    var changeSignatureInput: (inout [UInt8]) -> Void = { _ in }
    var changeSignature: (inout [UInt8]) -> Void = { _ in }
    var changeFrame: (inout [UInt8]) -> Void = { _ in }
    var aad: [UInt8] = []
    var changeEnvelope: (inout [UInt8]) -> Void = { _ in }
    var changeField: (inout String) -> Void = { _ in }

    init(_ actors: inout Actors) {
        messageID = actors.random.bytes(count: 16)
        trace = actors.random.bytes(count: 16)
        senderSeed = actors.senderSeed
        senderKey = actors.senderKey.rawRepresentation
        prekeySecret = actors.prekeySecret
        identity = actors.identity
    }

    mutating func sign(as seed: [UInt8]) throws {
        senderSeed = seed
        senderKey = try Actors.publicKey(ofSeed: seed)
    }

    func envelope(random: inout some RandomSource) throws -> [UInt8] {
        let prekey = try Actors.prekey(prekeySecret, protectionClass)
        let header = EnvelopeHeader(suite: .x25519, prekeyID: prekey.id(identity: identity))
        var info = Binding.info(
            header: header,
            topic: try BundleID(topic),
            identityKey: identity.rawRepresentation,
            prekeyFingerprint: prekey.fingerprint(identity: identity)
        )
        let frame = try signedFrame(info: info)
        changeInfo(&info)
        let sealed = try HPKE.seal(frame, to: prekey.key, info: info, aad: aad, random: &random)
        var envelope = header.bytes + sealed.encapsulatedKey + sealed.ciphertext
        changeEnvelope(&envelope)
        return envelope
    }

    private func signedFrame(info: [UInt8]) throws -> [UInt8] {
        var frame = Frame(
            messageID: messageID,
            sentAt: sentAt,
            expiresAt: expiresAt,
            senderKey: senderKey,
            flags: FrameFlags(rawValue: flags),
            body: body
        )
        var input = Binding.signatureInput(info: info, frameHead: frame.head, bodyDigest: SHA256.hash(body))
        changeSignatureInput(&input)
        var signature = try Actors.signingKey(seed: senderSeed).signature(over: input)
        changeSignature(&signature)
        frame.signature = signature
        var bytes = frame.bytes(byteCount: pushClass.frameByteCount(.x25519))
        changeFrame(&bytes)
        return bytes
    }

    func payload(random: inout some RandomSource) throws -> [UInt8] {
        var field = Base64URL.string(try envelope(random: &random))
        changeField(&field)
        return Self.payload(members: #""sealed":"\#(field)""#, trace: trace, pushClass: pushClass)
    }

    static func payload(members: String, trace: [UInt8], pushClass: PushClass = .alert) -> [UInt8] {
        let aps = pushClass == .alert ? #"{"alert":{"loc-key":"SP_NEW"},"mutable-content":1}"# : "{}"
        let comma = members.isEmpty ? "" : ","
        return Array(#"{"aps":\#(aps),\#(members)\#(comma)"trace":"\#(Base64URL.string(trace))"}"#.utf8)
    }
}

import Envelope
import FuzzSupport
import Keys
import Opening
import Primitives

@testable import HPKE

/// A sender and a device. A class only because keys cannot be copied.
final class Correspondents: Sendable {
    let sender: SenderKey

    private let senderKey: Ed25519PrivateKey
    private let keyRing: KeyRing
    /// For each role and set of rights.
    private let contacts: [ContactList]
    private let prekey: PublicPrekey
    private let header: EnvelopeHeader
    private let info: [UInt8]
    /// Set up once: otherwise it would take half of an execution.
    private let schedule: KeySchedule
    private let encapsulatedKey: [UInt8]
    private let policy = OpeningPolicy(person: Circumstances.names, service: Circumstances.names)

    init() {
        var random = FixedRandom(seed: 1)
        senderKey = Ed25519PrivateKey(random: &random)
        sender = SenderKey(senderKey.publicKey)
        do {
            let topic = try BundleID("com.example.chat")
            let device = DeviceKeys(topic: topic, random: &random)
            let now = Timestamp(milliseconds: 1_800_000_000_000)
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
            keyRing = device.keyRing
            let ephemeral = X25519PrivateKey(random: &random)
            encapsulatedKey = ephemeral.publicKey.rawRepresentation
            let secret = try DHKEM.encapsulate(to: prekey.key, ephemeral: ephemeral)
            schedule = KeySchedule(sharedSecret: secret, info: info)
            var contacts: [ContactList] = []
            for selector in 0..<UInt8(0x20) {
                let circumstances = Circumstances(selector: selector)
                var list = ContactList()
                let role: Contact.Role = circumstances.isService ? .service : .person
                try list.add(Contact(key: sender, role: role, rights: circumstances.rights))
                contacts.append(list)
            }
            self.contacts = contacts
        } catch {
            fatalError("fixed keys can be made")
        }
    }

    func seal(_ frame: Frame) -> String {
        var frame = frame
        frame.signature = senderKey.signature(
            over: Binding.signatureInput(info: info, frameHead: frame.head, bodyDigest: SHA256.hash(frame.body))
        )
        let plaintext = frame.bytes(byteCount: PushClass.alert.frameByteCount(prekey.suite))
        let envelope = Envelope(
            pushClass: .alert,
            header: header,
            encapsulatedKey: encapsulatedKey,
            ciphertext: schedule.seal(plaintext, aad: [])
        )
        return String(decoding: envelope.sealedField, as: UTF8.self)
    }

    /// Opens without a replay window, which would make one execution depend on those before it; FuzzReplayWindow has
    /// that.
    func open(_ field: String, _ circumstances: Circumstances) -> Outcome {
        let opener = MessageOpener(
            keyRing: keyRing,
            contacts: circumstances.isContact ? contacts[Int(circumstances.selector & 0x1F)] : ContactList(),
            replay: .none,
            policy: policy
        )
        return opener.open(sealedField: field, now: Timestamp(milliseconds: circumstances.now)).outcome
    }
}

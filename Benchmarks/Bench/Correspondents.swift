internal import Envelope
private import Keys
internal import Opening
internal import Primitives
internal import Sealing

/// A sender, its devices, and a message of common length: a title and 120 characters.
struct Correspondents: ~Copyable {
    let sender: SenderIdentity
    let recipients: [Recipient]
    let opener: MessageOpener
    let message: Message
    let placeholder: Placeholder
    let now: Timestamp

    init(deviceCount: Int, random: inout some RandomSource) throws(BenchError) {
        let now = Timestamp.now
        let sender = SenderIdentity(random: &random)
        var recipients: [Recipient] = []
        var keyRing: KeyRing?
        let placeholder: Placeholder
        do {
            let topic = try BundleID("com.example.chat")
            for _ in 0..<deviceCount {
                let device = DeviceKeys(topic: topic, random: &random)
                if keyRing == nil { keyRing = device.keyRing }
                recipients.append(
                    try Recipient(
                        bundle: device.bundle(now: now),
                        pinnedIdentity: device.identity,
                        topic: topic,
                        withoutPinsAt: now
                    )
                )
            }
            placeholder = try Placeholder(title: "Acme Chat", body: "You have a new message")
        } catch {
            throw .operationFailed
        }
        guard let keyRing else { throw .operationFailed }
        var message = Message()
        message.title = "Ada"
        message.body = String(repeating: "Lunch at noon? ", count: 8)
        opener = MessageOpener(
            keyRing: keyRing,
            contacts: ContactList(people: [sender.publicKey]),
            replay: .none
        )
        self.placeholder = placeholder
        self.message = message
        self.recipients = recipients
        self.now = now
        self.sender = sender
    }

    /// Bytes of the message as JSON.
    var bodyByteCount: Int {
        #"{"title":"","body":""}"#.utf8.count + message.title.utf8.count + message.body.utf8.count
    }

    func sealedField() throws(BenchError) -> String {
        do {
            let sealed = try sender.seal(message, for: recipients[0], sentAt: now)
            return String(decoding: sealed.envelope.sealedField, as: UTF8.self)
        } catch {
            throw .operationFailed
        }
    }
}

import CallKit
import Envelope
import ExtensionHarness
import Foundation
import HPKE
import Keys
import NotificationCore
import Opening
import Primitives
import TestSupport

@testable import IncomingCalls
@testable import Sealing

/// A called person: the app's device, the phone on which it is installed with our `IncomingCalls`, and a caller that
/// seals calls for it.
final class Callee {
    static let appName = "Acme Chat"

    let caller = SenderIdentity()
    let phone: VoIPPhone
    let folder: TemporaryFolder
    let device: AppDevice
    private let settings: AppDevice.Settings
    private let app: Kept
    private let topic: BundleID

    /// A device that has the caller among its contacts, or not, and a phone with our app on it.
    init(
        rights: ContactRights = [.call],
        role: Contact.Role = .person,
        name: String? = "Ada",
        isContact: Bool = true,
        keepsReceipts: Bool = true
    ) throws {
        let folder = try TemporaryFolder()
        let containerPath = folder.path("group")
        try FileManager.default.createDirectory(atPath: containerPath, withIntermediateDirectories: false)
        let topic = try BundleID("com.example.chat")
        let settings = AppDevice.Settings(
            topic: topic,
            containerPath: containerPath,
            privatePath: folder.path("private"),
            display: DisplayPolicy(texts: FailureTexts(title: Self.appName, newMessage: "You have a new message")),
            usesUnlockedClass: true
        )
        device = try AppDevice.opened(settings)
        var contacts = ContactList()
        if isContact { try contacts.add(Contact(key: caller.publicKey, role: role, name: name, rights: rights)) }
        try device.setContacts(contacts)
        let app = Kept()
        phone = VoIPPhone {
            let opener = CallOpener(
                containerPath: containerPath,
                appName: Self.appName,
                keepsReceipts: keepsReceipts
            )
            let provider = CXProvider(configuration: CXProviderConfiguration())
            return app.keep(IncomingCalls(opener: opener, provider: provider) { _ in })
        }
        (self.folder, self.settings, self.app, self.topic) = (folder, settings, app, topic)
    }

    /// The app's, without its phone.
    var container: SharedContainer { SharedContainer(path: settings.containerPath) }
    var opener: CallOpener { CallOpener(containerPath: settings.containerPath, appName: Self.appName) }

    /// The app's text for its server when the person answers: only once.
    func answered(_ id: UUID) async -> String? { await app.onMain { ($0 as? IncomingCalls)?.call(id) } }
}

// The caller.
extension Callee {
    static func call(_ text: String) -> Message {
        var message = Message()
        message.operation = .call(text)
        return message
    }

    func recipient(_ protectionClass: ProtectionClass = .afterFirstUnlock) throws -> Recipient {
        try Recipient(
            bundle: device.bundle().bytes,
            pinnedIdentity: device.identity,
            topic: topic,
            protectionClass: protectionClass,
            withoutPinsAt: .now
        )
    }

    /// The payload of a call, by public interfaces alone.
    func payload(
        _ message: Message = call("room 7"),
        sentAt: Timestamp = .now,
        lifetime: Duration? = nil,
        protectionClass: ProtectionClass = .afterFirstUnlock
    ) throws -> [UInt8] {
        try caller.seal(message, for: recipient(protectionClass), sentAt: sentAt, lifetime: lifetime)
            .payload(placeholder: .example)
    }

    /// The payload that a sealer without our limits makes.
    func foreignPayload(body: String, lifetime: Duration) throws -> [UInt8] {
        let recipient = try recipient()
        var random = SystemRandom()
        let now = Timestamp.now
        var frame = Frame(
            messageID: random.bytes(count: 16),
            sentAt: now.milliseconds,
            expiresAt: now.advanced(by: lifetime).milliseconds,
            senderKey: caller.publicKey.rawRepresentation,
            flags: [],
            body: Array(body.utf8)
        )
        frame.signature = caller.key.signature(
            over: Binding.signatureInput(
                info: recipient.info,
                frameHead: frame.head,
                bodyDigest: SHA256.hash(frame.body)
            )
        )
        let sealed = try HPKE.seal(
            frame.bytes(byteCount: PushClass.voip.frameByteCount(.x25519)),
            to: recipient.prekey.key,
            info: recipient.info,
            random: &random
        )
        let envelope = Envelope(
            pushClass: .voip,
            header: recipient.header,
            encapsulatedKey: sealed.encapsulatedKey,
            ciphertext: sealed.ciphertext
        )
        return Payload.voip(envelope: envelope, trace: Trace(bytes: random.bytes(count: 16)))
    }
}

extension AppDevice {
    /// For tests; an app has to check the case.
    static func opened(_ settings: Settings) throws -> AppDevice {
        switch try AppDevice.open(settings) {
        case .continued(let device), .newIdentity(let device), .remade(let device, because: _): device
        }
    }
}

extension Placeholder {
    static var example: Placeholder {
        get throws { try Placeholder(title: "Relay", body: "words of the relay") }
    }
}

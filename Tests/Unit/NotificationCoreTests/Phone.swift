import Envelope
import Foundation
import Keys
import Opening
import Sealing
import TestSupport

@testable import NotificationCore

/// A sender, a device and the container that its app shares with the extension, in a temporary folder.
final class Phone {
    static let start = Timestamp(milliseconds: 1_800_000_000_000)
    static let texts = FailureTexts(
        title: "Acme Chat",
        newMessage: "You have a new message",
        expired: "Too late",
        updateNeeded: "Update"
    )

    let folder: URL
    private let sender: SenderIdentity
    private let recipient: Recipient

    init(seed: UInt64, trustsSender: Bool = true, installsKeys: Bool = true) throws {
        var random = SeededRandom(seed: seed)
        sender = SenderIdentity(random: &random)
        let keys = DeviceKeys(topic: try BundleID("com.example.chat"), random: &random)
        recipient = try Recipient(
            bundle: keys.bundle(now: Self.start),
            pinnedIdentity: keys.identity,
            topic: keys.topic,
            withoutPinsAt: Self.start
        )
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("phone-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard installsKeys else { return }
        try SharedContainer(path: folder.path).install(
            keys: keys,
            contacts: ContactList(people: trustsSender ? [sender.publicKey] : []),
            now: Self.start
        )
    }

    deinit { try? FileManager.default.removeItem(at: folder) }  // A temporary folder: the system cleans up too.

    var pipeline: NotificationPipeline {
        NotificationPipeline(containerPath: folder.path, display: DisplayPolicy(texts: Self.texts))
    }

    func push(_ message: Message, lifetime: Duration = .seconds(60)) throws -> [AnyHashable: Any] {
        let sealed = try sender.seal(message, for: recipient, sentAt: Self.start, lifetime: lifetime)
        let payload = sealed.payload(placeholder: try Placeholder(title: "Relay", body: "words of the relay"))
        let object = try JSONSerialization.jsonObject(with: Data(payload))
        return object as? [AnyHashable: Any] ?? [:]
    }
}

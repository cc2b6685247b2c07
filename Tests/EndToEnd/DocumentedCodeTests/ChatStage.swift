import Envelope
import ExtensionHarness
import Foundation
import Keys
import NotificationCore
import Sealing

@testable import ChatAppCode

/// A phone with the example's app, and its back end's pins and requests.
final class ChatStage: Sendable {
    let folder: URL
    let backEnd: StageBackEnd
    let settings: AppDevice.Settings

    var groups: URL { folder.appendingPathComponent("groups") }
    var container: URL { groups.appendingPathComponent(ChatDevice.appGroup) }

    // hasFriend: false for an empty contact list.
    init(hasFriend: Bool = true) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let container = folder.appendingPathComponent("groups/\(ChatDevice.appGroup)")
        let support = folder.appendingPathComponent("support")
        try FileManager.default.createDirectory(at: container, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(at: support, withIntermediateDirectories: true)
        backEnd = StageBackEnd(hasFriend: hasFriend)
        settings = try ChatDevice.settings(groupFolder: container.path, supportFolder: support.path)
    }

    deinit {
        // Leftovers are in a temporary folder.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Launches the app: the code of docs/ios.md.
    ///
    /// - Returns: the device, and the texts that the app showed itself.
    func launch() async throws -> (device: AppDevice, shown: [String]) {
        var shown: [String] = []
        let token = [UInt8](repeating: 0xA5, count: 32)
        let device = try await startDevice(settings, token: token, backEnd) { shown.append($0.body) }
        return (device, shown)
    }

    func conditions(_ lock: Device.Lock = .unlocked) -> Device.Conditions {
        var conditions = Device.Conditions()
        conditions.appGroups = groups
        conditions.lock = lock
        return conditions
    }
}

/// The app's back end, which is also its only sender.
actor StageBackEnd: BackEnd {
    private let sender = SenderIdentity()
    private let hasFriend: Bool
    private(set) var published: (bundle: [UInt8], identity: String)?

    init(hasFriend: Bool) { self.hasFriend = hasFriend }

    func friends() -> [(key: String, name: String)] { hasFriend ? [(sender.publicKey.text, "Ada Lovelace")] : [] }

    func time() -> Timestamp { .now }

    func pin(_ bundle: [UInt8], identity: String) { published = (bundle, identity) }

    /// Acts as the relay, as far as that reads a registration. EndToEndTests has the relay itself.
    func register(_ registration: [UInt8], identity: String) throws -> [UInt8] {
        let upload = try JSONDecoder().decode([String: String].self, from: Data(registration))
        guard upload["topic"] == "com.example.chat", upload["token"]?.count == 64, let bundle = upload["bundle"],
            let bytes = Data(base64URL: bundle)
        else { throw NothingPublished() }
        published = (Array(bytes), identity)
        let epoch = bytes[33..<41].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return Array(#"{"id":"d1","epoch":\#(epoch)}"#.utf8)
    }

    /// - Returns: the payload of a push to the device that published last, and its trace.
    func push(_ text: String, threadID: String = "") throws -> (payload: [UInt8], trace: String) {
        guard let published else { throw NothingPublished() }
        let recipient = try Recipient(
            bundle: published.bundle,
            pinnedIdentity: IdentityKey(text: published.identity),
            topic: BundleID("com.example.chat"),
            withoutPinsAt: .now
        )
        let sealed = try sender.seal(
            Message(title: "Ada", body: text, threadID: threadID),
            for: recipient,
            sentAt: .now
        )
        let placeholder = try Placeholder(title: "Acme Chat", body: "New message")
        return (sealed.payload(placeholder: placeholder), sealed.trace.text)
    }

    struct NothingPublished: Error {}
}

extension Data {
    fileprivate init?(base64URL text: String) {
        let base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        self.init(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4))
    }
}

private import Envelope
internal import ExtensionHarness
private import Glibc
private import Keys
private import NotificationCore
private import NotificationServiceExtension
private import Opening
private import Primitives
private import Sealing
internal import UserNotifications

/// A phone whose app has keys and one sender, in its own folder, and that sender's pushes.
struct ScheduledPhone: ~Copyable {
    /// Pushes for one schedule, one kind at each index.
    static let pushCount = 4

    /// Base of a schedule: the phone's folder and date.
    let conditions: Device.Conditions
    private let groupPath: String
    private let sender: SenderIdentity
    private let recipient: Recipient
    private let sentAt: Timestamp
    private let picture: ScheduledPicture

    /// - Parameter folder: Does not exist yet; its parent does.
    init(folder: String, pictureByteCount: Int = ScheduledPicture.pictureByteCount) throws(BenchError) {
        let now = Timestamp.now
        var random = SystemRandom()
        let sender = SenderIdentity(random: &random)
        let recipient = try Self.install(trusting: sender.publicKey, in: folder, now: now, random: &random)
        let picture = try ScheduledPicture(in: folder, byteCount: pictureByteCount, random: &random)
        conditions = Device.Conditions().with {
            $0.attachmentFiles = picture.files
            $0.appGroups = URL(fileURLWithPath: folder, isDirectory: true)
            $0.date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1_000)
        }
        groupPath = folder + "/" + PrincipalClass.appGroup
        self.sender = sender
        self.picture = picture
        self.recipient = recipient
        sentAt = now
    }

    /// - Returns: The phone, as the sender knows it.
    private static func install(
        trusting sender: SenderKey,
        in folder: String,
        now: Timestamp,
        random: inout SystemRandom
    ) throws(BenchError) -> Recipient {
        let groupPath = folder + "/" + PrincipalClass.appGroup
        guard unsafe mkdir(folder, 0o700) == 0, unsafe mkdir(groupPath, 0o700) == 0 else { throw .operationFailed }
        do {
            let topic = try BundleID("com.example.chat")
            let keys = DeviceKeys(topic: topic, random: &random)
            try SharedContainer(path: groupPath).install(keys: keys, contacts: ContactList(people: [sender]), now: now)
            return try Recipient(
                bundle: keys.bundle(now: now),
                pinnedIdentity: keys.identity,
                topic: topic,
                withoutPinsAt: now
            )
        } catch {
            throw .operationFailed
        }
    }

    /// Two messages, the first with a picture and its thumbnail; one altered in transit; and one that does not ask for
    /// its extension. `number` is the schedule's.
    func pushes(number: UInt64) throws(BenchError) -> [ScheduledPush] {
        let first = try payload(text: "first of \(number)", attachments: picture.pointers)
        let second = try payload(text: "second of \(number)")
        let changed = Self.changingEnvelope(of: try payload(text: "changed"))
        let plain = try payload(text: "plain").replacing(#""mutable-content":1"#, with: #""mutable-content":0"#)
        return [
            try ScheduledPush(
                payload: first,
                identifier: "\(number)-1",
                text: "first of \(number)",
                attachmentIDs: picture.pointers.map(\.id.text)
            ),
            try ScheduledPush(payload: second, identifier: "\(number)-2", text: "second of \(number)"),
            try ScheduledPush(payload: changed, identifier: "\(number)-3", text: nil),
            try ScheduledPush(payload: plain, identifier: "\(number)-4", text: nil),
        ]
    }

    /// Half-written files, of which no part of the app may leave any.
    func temporaryFileCount() throws(BenchError) -> Int {
        do {
            return try FileManager.default.subpathsOfDirectory(atPath: groupPath).count { $0.hasSuffix(".tmp") }
        } catch {
            throw .operationFailed
        }
    }

    private func payload(text: String, attachments: [AttachmentPointer] = []) throws(BenchError) -> String {
        var message = Message()
        message.title = ScheduledPush.title
        message.body = text
        message.attachments = attachments
        do {
            let sealed = try sender.seal(message, for: recipient, sentAt: sentAt)
            let placeholder = try Placeholder(title: ScheduledPush.relaysTitle, body: "You have a new message")
            return String(decoding: sealed.payload(placeholder: placeholder), as: UTF8.self)
        } catch {
            throw .operationFailed
        }
    }

    /// Changes the ciphertext, which only the tag detects.
    private static func changingEnvelope(of payload: String) -> String {
        var bytes = Array(payload.utf8)
        let middle = bytes.count / 2
        bytes[middle] = bytes[middle] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A push, and the text that its extension has to show.
struct ScheduledPush: Sendable {
    static let title = "Ada"
    /// Must never be shown where the extension ran.
    static let relaysTitle = "Relay"

    let push: SimulatedPush
    /// The message's body; nil if none can be opened.
    let text: String?
    /// Ids of thumbnail and picture; empty for none.
    let attachmentIDs: [String]

    init(payload: String, identifier: String, text: String?, attachmentIDs: [String] = []) throws(BenchError) {
        do { push = try SimulatedPush(payload: payload.utf8, identifier: identifier) } catch { throw .operationFailed }
        self.text = text
        self.attachmentIDs = attachmentIDs
    }
}

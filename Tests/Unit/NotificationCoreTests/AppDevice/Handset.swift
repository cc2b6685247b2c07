import Envelope
import Foundation
import Keys
import Opening
import Platform
import Primitives
import Sealing
import TestSupport

@testable import NotificationCore

/// A whole phone and a sender: the app's device, the extension's pipeline, the container between them, a clock, a lock,
/// and a relay that keeps the newest bundle.
final class Handset {
    static let start = Phone.start
    static let texts = FailureTexts(
        title: "Acme Chat",
        newMessage: "You have a new message",
        expired: "Too late",
        updateNeeded: "Update",
        unlockNeeded: "Unlock"
    )

    let folder: TemporaryFolder
    let sender: SenderIdentity
    let pins = MemoryBundlePinStore()
    let lock: LockBox
    let settings: AppDevice.Settings
    var random: SeededRandom
    var now = Handset.start { didSet { uptime.set(now) } }
    /// Moves with `now`, until a test restarts the device.
    let uptime = UptimeBox()
    /// The extension's.
    var display = DisplayPolicy(texts: Handset.texts)
    var policy = OpeningPolicy()
    private(set) var published: [UInt8] = []

    /// - Parameter other: another account on the same phone.
    init(
        seed: UInt64,
        usesUnlockedClass: Bool = false,
        keepsReceipts: Bool = false,
        account: AccountName? = nil,
        beside other: Handset? = nil
    ) throws {
        var random = SeededRandom(seed: seed)
        sender = SenderIdentity(random: &random)
        folder = try other?.folder ?? TemporaryFolder()
        lock = other?.lock ?? LockBox()
        if other == nil {
            try FileManager.default.createDirectory(atPath: folder.path("group"), withIntermediateDirectories: false)
        }
        var settings = AppDevice.Settings(
            topic: try BundleID("com.example.chat"),
            containerPath: folder.path("group"),
            privatePath: folder.path("private"),
            display: DisplayPolicy(texts: Self.texts),
            usesUnlockedClass: usesUnlockedClass
        )
        let lock = lock
        settings.lock = { lock.state }
        let uptime = uptime
        settings.uptime = { uptime.now }
        settings.keepsReceipts = keepsReceipts
        settings.account = account
        self.settings = settings
        self.random = random
    }

    func pass(_ duration: Duration) { now = now.advanced(by: duration) }
}

// The app.
extension Handset {
    func open() throws(AppDeviceError) -> AppDevice.Start {
        try AppDevice.open(settings, now: now, random: &random)
    }

    /// A device that knows its sender and is known to it.
    func launch(
        rights: ContactRights = [],
        role: Contact.Role = .person,
        name: String? = nil
    ) throws -> AppDevice {
        let device = try open().device
        try confirmTime(device)
        var contacts = ContactList()
        try contacts.add(Contact(key: sender.publicKey, role: role, name: name, rights: rights))
        try device.setContacts(contacts)
        try publish(device)
        return device
    }

    /// Confirms the time by a server other than the relay.
    func confirmTime(_ device: AppDevice) throws(AppDeviceError) {
        let confirmation = try device.confirm(now, askedAt: uptime.now, now: now)
        guard case .confirmed = confirmation else { preconditionFailure("\(confirmation)") }
    }

    /// Does what the app does at each launch, time first.
    func destroyDue(_ device: AppDevice) throws(AppDeviceError) -> Int {
        try confirmTime(device)
        return try device.destroyDue()
    }

    func publish(_ device: AppDevice) throws {
        let bundle = try device.bundle()
        published = bundle.bytes
        try device.acknowledged(epoch: bundle.epoch, now: now)
    }
}

// The sender.
extension Handset {
    func recipient(_ device: AppDevice, _ protectionClass: ProtectionClass = .afterFirstUnlock) throws -> Recipient {
        try Recipient(
            bundle: published,
            fetchedAt: now,
            pinnedIdentity: device.identity,
            topic: settings.topic,
            protectionClass: protectionClass,
            pins: pins,
            now: now
        )
    }

    func prepared(_ message: Message, lifetime: Duration = .seconds(3_600)) throws -> PreparedMessage {
        try PreparedMessage(message, sentAt: now, lifetime: lifetime)
    }

    /// Prepares any message in an alert's envelope: our own sealer makes no such call, another may.
    func preparedAsAlert(_ message: Message, lifetime: Duration) throws -> PreparedMessage {
        var random = SystemRandom()
        return try PreparedMessage(
            message,
            sentAt: now,
            lifetime: lifetime,
            lifetimeMax: PreparedMessage.lifetimeMax,
            overflow: .refuse,
            pushClass: .alert,
            suite: .x25519,
            random: &random
        )
    }

    /// One copy of the message as a push, with a trace of its own.
    func push(_ message: PreparedMessage, to recipient: Recipient) throws -> [AnyHashable: Any] {
        let sealed = try sender.seal(message, for: recipient, now: now)
        let payload = sealed.payload(placeholder: try Placeholder(title: "Relay", body: "words of the relay"))
        return try JSONSerialization.jsonObject(with: Data(payload)) as? [AnyHashable: Any] ?? [:]
    }

    func push(
        _ message: Message,
        to device: AppDevice,
        _ protectionClass: ProtectionClass = .afterFirstUnlock,
        lifetime: Duration = .seconds(3_600)
    ) throws -> [AnyHashable: Any] {
        try push(prepared(message, lifetime: lifetime), to: recipient(device, protectionClass))
    }
}

// The extension.
extension Handset {
    var container: SharedContainer {
        let lock = lock
        return SharedContainer(
            path: settings.containerPath,
            account: settings.account,
            lock: { lock.state },
            uptime: settings.uptime
        )
    }

    func pipeline(opensWebPush: Bool = false) -> NotificationPipeline {
        NotificationPipeline(container: container, display: display, policy: policy, opensWebPush: opensWebPush)
    }

    /// The content for a push that iOS has not confirmed as shown.
    func content(_ push: [AnyHashable: Any], requestID: String? = nil) -> NotificationContent {
        pipeline().content(userInfo: push, requestID: requestID, now: now)
    }

    /// The same on a screen: shown, and remembered as shown.
    @discardableResult
    func show(_ push: [AnyHashable: Any], requestID: String? = nil) -> NotificationContent {
        let pipeline = pipeline()
        let content = pipeline.content(userInfo: push, requestID: requestID, now: now)
        pipeline.didShow(content)
        return content
    }

    var windowPath: String { folder.path("group/replay-window-1") }
    var window: [UInt8] {
        get throws { try WholeFile.read(windowPath, byteCountMax: 1 << 23) }
    }

    /// Replaces the window, as a backup would.
    func putWindow(_ bytes: [UInt8]) throws { try WholeFile.write(bytes, to: windowPath, access: .ownerOnly) }

    func spooled() throws -> [ArrivalFile.Item] { try container.spool.file.items() }
    func markers() throws -> [ArrivalFile.Item] { try container.resendMarkers.file.items() }

    /// Traces of the messages that the relay is to send again.
    func pendingTraces() throws -> [String] {
        try container.resendMarkers.pendingResends().map(\.trace.text)
    }
}

extension AppDevice.Start {
    /// For tests; an app has to check the case.
    var device: AppDevice {
        switch self {
        case .continued(let device), .newIdentity(let device), .remade(let device, _): device
        }
    }

    var isContinued: Bool { if case .continued = self { true } else { false } }
    var isNewIdentity: Bool { if case .newIdentity = self { true } else { false } }
    var loss: AppDevice.Loss? { if case .remade(_, let loss) = self { loss } else { nil } }
}

final class UptimeBox: Sendable {
    private let box = Guarded(Uptime(milliseconds: Handset.start.milliseconds, boot: 1))

    var now: Uptime { box.withLock { $0 } }

    func set(_ time: Timestamp) {
        box.withLock { $0 = Uptime(milliseconds: time.milliseconds, boot: $0.boot) }
    }

    func restart() { box.withLock { $0 = Uptime(milliseconds: $0.milliseconds, boot: $0.boot + 1) } }
}

final class LockBox: Sendable {
    private let box = Guarded(DeviceLock.unlocked)

    var state: DeviceLock { box.withLock { $0 } }

    func set(_ state: DeviceLock) { box.withLock { $0 = state } }
}

extension Duration {
    static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}

extension NotificationContent {
    /// True for the app's own words only, for a push without words of its own to show.
    var isAppsOwn: Bool {
        title == Handset.texts.title && body == Handset.texts.newMessage && subtitle.isEmpty && threadID.isEmpty
    }
}

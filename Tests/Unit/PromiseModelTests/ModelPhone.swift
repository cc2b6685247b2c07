import Envelope
import Foundation
import Keys
import Platform
import Primitives
import Sealing
import TestSupport

@testable import NotificationCore
@testable import Opening

/// The real device, app and extension: this file has every call of the model into the implementation.
///
/// Facts that the implementation has no parameter for are set here only.
final class ModelPhone {
    struct Reading {
        /// Set by the person and the network: anything.
        var wall: Timestamp
        /// Milliseconds since the device started, asleep or not.
        var uptime: UInt64
        /// The number of the device's start.
        var boot: UInt64
    }

    enum Outcome: Equatable {
        case opened, replay, expired, clockUntrusted, locked, missingKey
        case other(String)
    }

    /// The extension's result for a push, until iOS has it.
    struct Content {
        let outcome: Outcome
        fileprivate let content: NotificationContent
    }

    struct Bundle {
        let bytes: [UInt8]
        let epoch: UInt64
        let issuedAt: Timestamp
        let notAfter: Timestamp
    }

    static let lifetimeMax: Duration = OpeningPolicy().lifetimeMax

    let folder: ModelFolder
    private let lock = PhoneLock()
    private let uptime = PhoneUptime()
    private let settings: AppDevice.Settings
    private let display: DisplayPolicy
    private var random: SeededRandom
    private var app: AppDevice?

    init(contacts keys: [SenderKey], now: Timestamp, seed: UInt64) throws {
        let folder = try ModelFolder()
        let texts = FailureTexts(title: "App", newMessage: "New", expired: "Late", updateNeeded: "Update")
        display = DisplayPolicy(texts: texts)
        var settings = AppDevice.Settings(
            topic: try BundleID("com.example.chat"),
            containerPath: folder.container,
            privatePath: folder.privatePath,
            display: display,
            usesUnlockedClass: true
        )
        let lock = lock
        settings.lock = { lock.state }
        let uptime = uptime
        settings.uptime = { uptime.now }
        self.settings = settings
        self.folder = folder
        random = SeededRandom(seed: seed)
        try open(Reading(wall: now, uptime: 0, boot: 0))
        var contacts = ContactList()
        for key in keys { try contacts.add(Contact(key: key)) }
        try device().setContacts(contacts)
    }

    func setLock(_ state: DeviceLock) { lock.set(state) }

    // The disk: seen by the model alone.

    func secrets() throws -> Set<PrekeyID> { Set(try container.keyStore.names().compactMap(\.prekeyID)) }

    /// Private keys that the index names: the ones that can open a message.
    func prekeys() throws -> Set<PrekeyID> {
        try secrets().intersection(try RingIndex(from: container.keyStore).prekeys.map(\.id))
    }

    func lastConfirmation() throws -> UInt64? {
        try ReplayWindow.ofProcess(folder: folder.container, uptime: settings.uptime).time().lastConfirmed?.milliseconds
    }

    func spooledCount() throws -> Int { try container.spool.file.items().count }
    func markerCount() throws -> Int { try container.resendMarkers.file.items().count }

    private var container: SharedContainer {
        let lock = lock
        return SharedContainer(path: settings.containerPath, lock: { lock.state }, uptime: settings.uptime)
    }
}

// The app: one call each.
extension ModelPhone {
    func open(_ clock: Reading) throws(AppDeviceError) {
        uptime.set(clock)
        switch try AppDevice.open(settings, now: clock.wall, random: &random) {
        case .continued(let device), .newIdentity(let device), .remade(let device, _): app = device
        }
    }

    /// Confirms the true time, from a source other than the relay.
    func confirmTime(_ time: Timestamp, askedBefore pause: UInt64 = 0, _ clock: Reading) throws {
        var asking = clock
        // Before the last restart, where the device has not run for so long.
        if clock.uptime < pause { asking.boot -= 1 } else { asking.uptime -= pause }
        uptime.set(asking)
        let askedAt = uptime.now
        uptime.set(clock)
        _ = try device().confirm(time, askedAt: askedAt, now: clock.wall)
    }

    /// `show` takes a message's id; the process may be ended in it.
    func openSpooled(_ clock: Reading, show: ([UInt8]) -> Void) throws {
        uptime.set(clock)
        try device().openSpooled(now: clock.wall) { content in
            if case .opened(let opened) = content.outcome { show(opened.messageID.rawRepresentation) }
        }
    }

    func rotateIfDue(token: [UInt8]?, _ clock: Reading) throws(AppDeviceError) {
        let device = try device()
        uptime.set(clock)
        _ = try device.rotateIfDue(token: token, now: clock.wall, random: &random)
    }

    func needsPublication(_ clock: Reading) throws -> Bool { try device().needsPublication(now: clock.wall) }

    func bundle() throws -> Bundle {
        let (bytes, epoch) = try device().bundle()
        // Version, identity, epoch, then issued-at: docs/protocol.md, section 3.
        let issuedAt = Timestamp(milliseconds: bytes[41..<49].reduce(0) { $0 << 8 | UInt64($1) })
        let recipient = try Recipient(
            bundle: bytes,
            pinnedIdentity: device().identity,
            topic: settings.topic,
            withoutPinsAt: max(issuedAt, Timestamp(milliseconds: epoch))
        )
        return Bundle(bytes: bytes, epoch: epoch, issuedAt: issuedAt, notAfter: recipient.notAfter)
    }

    func acknowledged(epoch: UInt64, _ clock: Reading) throws {
        uptime.set(clock)
        try device().acknowledged(epoch: epoch, now: clock.wall)
    }

    /// Does the first step of `report(to:)`.
    func collectResends(_ clock: Reading) throws {
        _ = try container.resendMarkers.pendingResends()
    }

    func destroyDue(_ clock: Reading) throws {
        uptime.set(clock)
        // It takes no time: the device's clock is only read.
        try SimulatedDevice(appGroupsPath: nil, clock: ContinuousClock(), wallClock: { clock.wall.milliseconds })
            .bind { _ = try device().destroyDue() }
    }

    private func device() throws(AppDeviceError) -> AppDevice {
        guard let app else { throw .erased }
        return app
    }
}

// The extension.
extension ModelPhone {
    /// Handles one push, as far as the claim.
    func receive(_ push: [AnyHashable: Any], _ clock: Reading) -> Content {
        uptime.set(clock)
        let pipeline = NotificationPipeline(container: container, display: display)
        let content = pipeline.content(userInfo: push, now: clock.wall)
        return Content(outcome: Self.outcome(content.outcome), content: content)
    }

    func didShow(_ content: Content) {
        NotificationPipeline(container: container, display: display).didShow(content.content)
    }

    private static func outcome(_ outcome: Opening.Outcome) -> Outcome {
        switch outcome {
        case .opened: .opened
        case .replay: .replay
        case .expired: .expired
        case .clockUntrusted: .clockUntrusted
        case .locked: .locked
        case .staleKey, .unknownKey: .missingKey
        default: .other("\(outcome)")
        }
    }
}

// Senders' view of this device.
extension ModelPhone {
    /// A sender that keeps pins.
    func recipient(
        _ bundle: [UInt8],
        _ protection: ProtectionClass,
        fetchedAt: Timestamp,
        pins: some BundlePinStore,
        now: Timestamp
    ) throws -> Recipient {
        try Recipient(
            bundle: bundle,
            fetchedAt: fetchedAt,
            pinnedIdentity: device().identity,
            topic: settings.topic,
            protectionClass: protection,
            pins: pins,
            now: now
        )
    }

    /// A sender that accepts any bundle, as of any time.
    func recipient(anyTime bundle: Bundle) throws -> Recipient {
        try Recipient(
            bundle: bundle.bytes,
            pinnedIdentity: device().identity,
            topic: settings.topic,
            withoutPinsAt: max(bundle.issuedAt, Timestamp(milliseconds: bundle.epoch))
        )
    }
}

private final class PhoneUptime: Sendable {
    private let box = Guarded(Uptime(milliseconds: 0, boot: 1))

    var now: Uptime { box.withLock { $0 } }

    func set(_ clock: ModelPhone.Reading) {
        box.withLock { $0 = Uptime(milliseconds: clock.uptime, boot: clock.boot + 1) }
    }
}

private final class PhoneLock: Sendable {
    private let box = Guarded(DeviceLock.unlocked)

    var state: DeviceLock { box.withLock { $0 } }

    func set(_ state: DeviceLock) { box.withLock { $0 = state } }
}

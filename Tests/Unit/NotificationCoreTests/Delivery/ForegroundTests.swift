import Envelope
import Foundation
import Keys
import Opening
import Platform
import Primitives
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

struct ForegroundTests {
    private static let start = Handset.start
    private let folder: TemporaryFolder
    private let lease: ForegroundLease

    init() throws {
        folder = try TemporaryFolder()
        lease = ForegroundLease(path: folder.path("lease"))
    }

    private func later(_ duration: Duration) -> Timestamp { Self.start.advanced(by: duration) }

    @Test func `a lease ends by itself`() throws {
        #expect(!lease.isHeld(now: Self.start))
        try lease.take(for: .seconds(30), now: Self.start)
        #expect(lease.isHeld(now: Self.start))
        #expect(lease.isHeld(now: later(.milliseconds(29_999))))
        #expect(!lease.isHeld(now: later(.seconds(30))))
    }

    @Test func `a lease that is renewed goes on, and one that is released is over`() throws {
        try lease.take(for: .seconds(30), now: Self.start)
        try lease.take(for: .seconds(30), now: later(.seconds(20)))
        #expect(lease.isHeld(now: later(.seconds(49))))
        try lease.release()
        #expect(!lease.isHeld(now: later(.seconds(21))))
        try lease.release()
    }

    @Test func `a clock that jumps back makes no lease longer than 35 seconds`() throws {
        try lease.take(for: .seconds(30), now: Self.start)
        let heldSeconds = (-100_000...100).filter { lease.isHeld(now: later(.seconds($0))) }
        #expect(heldSeconds == Array(-5...29))
    }

    @Test(arguments: [[], [0], [UInt8](repeating: 0xFF, count: 8), [UInt8](repeating: 0, count: 8), Array(0...8)])
    func `a damaged lease promises nothing`(_ bytes: [UInt8]) throws {
        try WholeFile.write(bytes, to: folder.path("lease"), access: .ownerOnly)
        #expect(!lease.isHeld(now: Self.start))
        #expect(!lease.isHeld(now: Timestamp(milliseconds: .max)))
        #expect(!lease.isHeld(now: Timestamp(milliseconds: 0)))
    }

    #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
    @Test func `an extension that may leaves messages to the app, which opens them`() throws {
        let handset = try Handset(seed: 1)
        let device = try handset.launch()
        let push = IncomingPush(userInfo: try handset.push(Message(body: "Hello"), to: device))
        try device.takeMessages(now: handset.now)
        let result = handset.onItsClock { handset.steps(.leaveToApp).open(push) }
        #expect(result.kind == .leftToApp)
        #expect(result.isAppsOwn)
        #expect(try device.openSpooled(now: handset.now).map(\.body) == ["Hello"])
    }

    @Test func `an extension that may not shows every message, whatever the app says`() throws {
        let handset = try Handset(seed: 2)
        let device = try handset.launch()
        let push = IncomingPush(userInfo: try handset.push(Message(body: "Hello"), to: device))
        try device.takeMessages(now: handset.now)
        #expect(handset.onItsClock { handset.steps(.show).open(push) }.body == "Hello")
    }

    @Test func `a message that cannot be kept for the app is shown`() throws {
        let handset = try Handset(seed: 3)
        let device = try handset.launch()
        let push = IncomingPush(userInfo: try handset.push(Message(body: "Hello"), to: device))
        try device.takeMessages(now: handset.now)
        try FileManager.default.removeItem(atPath: handset.container.spool.path)
        try FileManager.default.createDirectory(
            atPath: handset.container.spool.path,
            withIntermediateDirectories: false
        )
        let result = handset.onItsClock { handset.steps(.leaveToApp).open(push) }
        #expect(result.body == "Hello")
    }

    @Test func `an app that crashed keeps no message from the screen for longer than its lease`() throws {
        let handset = try Handset(seed: 4)
        let device = try handset.launch()
        try device.takeMessages(now: handset.now)
        handset.pass(.seconds(30))
        let push = IncomingPush(userInfo: try handset.push(Message(body: "Hello"), to: device))
        #expect(handset.onItsClock { handset.steps(.leaveToApp).open(push) }.body == "Hello")
    }
    #endif

    @Test func `a message that the app showed is a replay for the extension`() throws {
        let handset = try Handset(seed: 5)
        let device = try handset.launch()
        let message = try handset.prepared(Message(body: "Hello"))
        let push = try handset.push(message, to: handset.recipient(device))
        #expect(try handset.markHandled(message, device))
        #expect(handset.content(push).outcome == .replay)
        // It is final: a mere claim would be free again after 35 seconds.
        handset.pass(.seconds(36))
        #expect(handset.content(push).outcome == .replay)
        #expect(try !handset.markHandled(message, device))
    }

    @Test func `a message that the extension showed is none for the app to show`() throws {
        let handset = try Handset(seed: 6)
        let device = try handset.launch()
        let message = try handset.prepared(Message(body: "Hello"))
        handset.show(try handset.push(message, to: handset.recipient(device)))
        #expect(try !handset.markHandled(message, device))
    }
}

extension Handset {
    fileprivate func steps(_ foreground: ForegroundPolicy) -> DeliverySteps {
        DeliverySteps(pipeline: pipeline(), foreground: foreground)
    }

    #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
    /// As on the phone itself, where `now` is the date.
    fileprivate func onItsClock<Result>(_ body: () -> Result) -> Result {
        let now = now
        let device = SimulatedDevice(appGroupsPath: nil, clock: ContinuousClock(), wallClock: { now.milliseconds })
        return device.run(body)
    }
    #endif

    fileprivate func markHandled(_ message: PreparedMessage, _ device: AppDevice) throws -> Bool {
        try device.markHandled(
            message.messageID,
            from: sender.publicKey,
            sentAt: message.sentAt,
            expiresAt: message.expiresAt
        )
    }
}

import Envelope
import Keys
import Platform
import ReplayWindowProbe
import TestSupport

@testable import Opening

struct Window {
    let folder: TemporaryFolder
    let window: ReplayWindow

    init(seed: UInt64 = 1) throws {
        folder = try TemporaryFolder()
        var random = SeededRandom(seed: seed)
        window = try ReplayWindow(folder: folder.path, ifMissing: .create, random: &random, uptime: TestUptime.read)
    }

    var path: String { folder.path(WindowLayout.name) }

    func reopened(onWrite: WindowFile.WriteObserver? = nil) throws -> ReplayWindow {
        try ReplayWindow(folder: folder.path, onWrite: onWrite, uptime: TestUptime.read)
    }
}

/// The uptime of a test's device: set by the test for each call.
enum TestUptime {
    @TaskLocal static var current = Uptime(milliseconds: now.milliseconds, boot: 1)

    static let read: @Sendable () -> Uptime = { current }
}

extension ReplayWindow {
    /// `now` is the uptime; its beginning does not matter. `boot` is the number of the device's start.
    func claim(_ stamp: MessageStamp, now: Timestamp, boot: UInt64 = 1) throws(ReplayWindowError) -> ClaimVerdict {
        try at(now, boot) { () throws(ReplayWindowError) in try claim(stamp) }
    }

    func claim(webPush key: ReplayKey, now: Timestamp) throws(ReplayWindowError) -> ClaimVerdict {
        try at(now, 1) { () throws(ReplayWindowError) in try claim(webPush: key) }
    }

    /// Confirms a source's time at that uptime.
    func confirm(_ time: UInt64, uptime: UInt64 = now.milliseconds, boot: UInt64 = 1) throws(ReplayWindowError) {
        let time = Timestamp(milliseconds: time)
        try at(Timestamp(milliseconds: uptime), boot) { () throws(ReplayWindowError) in try confirm(time) }
    }

    func lowerBound(uptime: UInt64 = now.milliseconds, boot: UInt64 = 1) throws(ReplayWindowError) -> Timestamp {
        try at(Timestamp(milliseconds: uptime), boot) { () throws(ReplayWindowError) in try time().lowerBound }
    }

    private func at<Result>(
        _ now: Timestamp,
        _ boot: UInt64,
        _ body: () throws(ReplayWindowError) -> Result
    ) throws(ReplayWindowError) -> Result {
        let uptime = Uptime(milliseconds: now.milliseconds, boot: boot)
        let result = TestUptime.$current.withValue(uptime) {
            do throws(ReplayWindowError) { return Swift.Result<Result, ReplayWindowError>.success(try body()) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

let now = ProbeMessages.now
let hour: UInt64 = 3_600_000
let alice = ProbeMessages.sender(1)
let bob = ProbeMessages.sender(2)

extension MessageStamp {
    /// - Parameters:
    ///   - number: gives its id.
    ///   - sentAt: in milliseconds; `now` by default.
    ///   - lifetime: in milliseconds.
    init(_ number: UInt64, from sender: SenderKey = alice, sentAt: UInt64 = now.milliseconds, lifetime: UInt64 = hour) {
        self.init(
            sender: sender,
            messageID: ProbeMessages.id(number),
            sentAt: Timestamp(milliseconds: sentAt),
            expiresAt: Timestamp(milliseconds: sentAt + lifetime)
        )
    }
}

extension ClaimVerdict {
    var claim: ReplayClaim? {
        switch self {
        case .new(let claim), .reclaimed(let claim): claim
        case .replay, .tooOld: nil
        }
    }

    var isNew: Bool { if case .new = self { true } else { false } }
    var isReclaimed: Bool { if case .reclaimed = self { true } else { false } }
}

extension Timestamp {
    static func + (time: Timestamp, milliseconds: UInt64) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds + milliseconds)
    }

    static func - (time: Timestamp, milliseconds: UInt64) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds - milliseconds)
    }
}

import Envelope
import Keys
import ReplayWindowProbe
import TestSupport

@testable import Opening

/// A window in a folder that goes with the test.
struct Window {
    let folder: TemporaryFolder
    let window: ReplayWindow

    init(seed: UInt64 = 1) throws {
        folder = try TemporaryFolder()
        var random = SeededRandom(seed: seed)
        window = try ReplayWindow(folder: folder.path, ifMissing: .create, random: &random)
    }

    var path: String { folder.path(WindowLayout.name) }

    /// Another process would see it like this.
    func reopened(onWrite: WindowFile.WriteObserver? = nil) throws -> ReplayWindow {
        try ReplayWindow(folder: folder.path, onWrite: onWrite)
    }
}

let now = ProbeMessages.now
let hour: UInt64 = 3_600_000
let alice = ProbeMessages.sender(1)
let bob = ProbeMessages.sender(2)

extension MessageStamp {
    /// - Parameters:
    ///   - number: what makes its id.
    ///   - sender: who signed it.
    ///   - sentAt: in milliseconds; `now` unless told.
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

import Envelope
import FuzzSupport
import Keys
import Platform

@testable import Opening

/// The replay window's file, damaged before and between operations, with valid checks and invalid ones: every operation
/// ends, with a verdict or with `.damaged`, and no id is new twice.
///
/// Without `ReplayWindow` itself, whose thread writes to the disk once a second.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReplayWindow(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    var reader = ByteReader(input.bytes[...])
    var device = Device(image)
    for _ in 0..<stepCountMax {
        guard let step = Step(&reader) else { break }
        device.take(step)
    }
    device.end()
    image.restore()
    return 0
}

private let stepCountMax = 24
private let image = WindowImage()

/// The window's user, with its answers so far.
private struct Device {
    private let image: WindowImage
    private var window: OpenWindow?
    private var claim: ReplayClaim?
    /// As of the last operation; nil after damage.
    private var lowerBound: UInt64?
    private var uptime = Uptime(milliseconds: 0, boot: 1)

    init(_ image: WindowImage) { self.image = image }

    mutating func take(_ step: Step) {
        switch step {
        case .damage(let writes):
            for write in writes { image.damage(write.words, at: write.offset) }
            lowerBound = nil
        case .resize(let byteCount):
            image.resize(to: byteCount)
            lowerBound = nil
        case .reopen: window = nil
        case .claim(let stamp, let now):
            pass(to: now)
            take(stamp)
        case .claimWebPush(let key, let now):
            pass(to: now)
            take(webPush: key)
        case .commit: commit()
        case .order(let change, let now):
            pass(to: now)
            take(change)
        case .advanceGeneration:
            let growth = perform { core throws(ReplayWindowError) in
                let before = core.header.generation
                return (before: before, after: try core.advanceGeneration().generation)
            }
            guard let growth else { return }
            require(growth.after > growth.before, "a generation grows")
        }
    }

    /// An uptime that goes back is one of the next start.
    private mutating func pass(to now: Timestamp) {
        let boot = now.milliseconds < uptime.milliseconds ? uptime.boot &+ 1 : uptime.boot
        uptime = Uptime(milliseconds: now.milliseconds, boot: boot)
    }

    private mutating func take(_ stamp: MessageStamp) {
        switch perform({ core throws(ReplayWindowError) in try core.claim(stamp) }) {
        case .new(let claim), .reclaimed(let claim):
            self.claim = claim
            let again = perform { core throws(ReplayWindowError) in try core.claim(stamp) }
            require(again == .replay, "what was claimed is not claimed again")
        case .replay, .tooOld, nil: break
        }
    }

    private mutating func take(webPush key: ReplayKey) {
        switch perform({ core throws(ReplayWindowError) in try core.claim(webPush: key) }) {
        case .new(let claim), .reclaimed(let claim):
            self.claim = claim
            let again = perform { core throws(ReplayWindowError) in try core.claim(webPush: key) }
            require(again == .replay, "a record that was claimed is not claimed again")
        case .replay, .tooOld, nil: break
        }
    }

    private mutating func commit() {
        guard let claim else { return }
        _ = perform { core throws(ReplayWindowError) in try core.commit(claim) }
    }

    private mutating func take(_ change: OrderedChange) {
        guard perform({ core throws(ReplayWindowError) in try core.order(change) }) == .newest else {
            return
        }
        let again = perform { core throws(ReplayWindowError) in try core.order(change) }
        require(again == .newest, "asking again gives the same answer")
    }

    private mutating func perform<Result>(
        _ body: (inout WindowCore) throws(ReplayWindowError) -> Result
    ) -> Result? {
        do {
            if window == nil { window = try OpenWindow(image, uptime) }
            guard let result = try window?.perform(at: uptime, body), let bound = window?.core.header.time.bound else {
                return nil
            }
            require(bound >= lowerBound ?? 0, "the lower bound never falls")
            lowerBound = bound
            return result
        } catch {
            require(error == .damaged, "a damaged file is all that it can be")
            return nil
        }
    }

    mutating func end() { require(image.keepsItsSize, "the file never grows or shrinks") }
}

/// `ReplayWindow` without its locks for threads.
private struct OpenWindow {
    private let file: WindowFile
    var core: WindowCore

    init(_ image: WindowImage, _ uptime: Uptime) throws(ReplayWindowError) {
        let file = try image.open()
        core = try file.withLock { () throws(ReplayWindowError) in try WindowCore(file: file, uptime: uptime) }
        self.file = file
    }

    mutating func perform<Result>(
        at uptime: Uptime,
        _ body: (inout WindowCore) throws(ReplayWindowError) -> Result
    ) throws(ReplayWindowError) -> Result {
        try file.withLock { () throws(ReplayWindowError) in
            try core.begin(at: uptime)
            let result = try body(&core)
            try core.finish()
            return result
        }
    }
}

import Envelope
import Foundation
import Platform
import TestSupport
import Testing

@testable import NotificationCore

/// Another process that was suspended while it held a lock of the container (0xdead10cc, abuse case 107). The system's
/// locks belong to an open file, so a second descriptor of this process stands for it.
struct LockedFileTests {
    @Test func `a replay window that is locked for ever costs the text, not the answer, and the text comes later`()
        async throws
    {
        let phone = try Phone(seed: 9)
        let push = try phone.push(Message(body: "Hello"))
        let holder = unsafe open(phone.folder.path + "/replay-window-1", O_RDWR | O_CLOEXEC)
        #expect(flock(holder, LOCK_EX) == 0)
        let clock = StepClock()
        var surroundings = DeliverySurroundings.ofThisDevice
        surroundings.clock = clock
        let isOpening = Guarded(false)
        let isOpened = Guarded(false)
        var steps = DeliverySteps(pipeline: phone.pipeline, foreground: .show)
        let pipeline = phone.pipeline
        steps.open = { push in
            isOpening.withLock { $0 = true }
            let content = pipeline.content(of: push, now: Phone.start)
            isOpened.withLock { $0 = true }
            return content
        }
        let core = ExtensionCore(
            steps: steps,
            reports: [],
            settings: ExtensionCore.Settings(),
            surroundings: surroundings
        )
        let shown = await withCheckedContinuation { continuation in
            core.receive(userInfo: push, requestID: "1") { continuation.resume(returning: $0.body) }
            Task {
                // A push not begun by the deadline is not opened at all.
                while !isOpening.withLock({ $0 }) || !clock.wakeNext() { await Task.yield() }
            }
        }
        #expect(shown == Phone.texts.newMessage)
        // The app has it, whatever happens to this process.
        let spool = SharedContainer(path: phone.folder.path).spool
        let kept = Guarded<[String]>([])
        while kept.withLock({ $0.isEmpty }) {
            try spool.drain { message in
                let field = message.envelope.map { String(decoding: $0.sealedField, as: UTF8.self) }
                kept.withLock { $0.append(field ?? "none") }
                return .keep
            }
            await Task.yield()
        }
        #expect(kept.withLock { $0 } == [push["sealed"] as? String])
        // An explicit unlock first: a child of another test's may have the descriptor until its exec.
        #expect(flock(holder, LOCK_UN) == 0)
        close(holder)
        while !isOpened.withLock({ $0 }) { await Task.yield() }
        #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
        // It was claimed and not committed: 35 seconds later it is free.
        let later = Uptime.now.advanced(byMilliseconds: 36_000)
        let device = SimulatedDevice(
            appGroupsPath: nil,
            clock: ContinuousClock(),
            wallClock: { Phone.start.milliseconds },
            uptime: { later }
        )
        #expect(device.run { pipeline.content(userInfo: push, now: Phone.start) }.body == "Hello")
        #endif
    }
}

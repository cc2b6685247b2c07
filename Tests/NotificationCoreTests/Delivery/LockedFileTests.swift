import Envelope
import Foundation
import Platform
import TestSupport
import Testing

@testable import NotificationCore

/// Another process that was stopped with a lock of the container in its hand (0xdead10cc, abuse case 107): a lock of the
/// system's belongs to an open file, so that a second descriptor of this process stands for it.
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
            reports: nil,
            settings: ExtensionCore.Settings(),
            surroundings: surroundings
        )
        let shown = await withCheckedContinuation { continuation in
            core.receive(userInfo: push, requestID: "1") { continuation.resume(returning: $0.body) }
            Task {
                // What has not begun by the deadline is not opened at all.
                while !isOpening.withLock({ $0 }) || !clock.wakeNext() { await Task.yield() }
            }
        }
        #expect(shown == Phone.texts.newMessage)
        // By name first: a child of another test's may have the descriptor until it begins its program.
        #expect(flock(holder, LOCK_UN) == 0)
        close(holder)
        while !isOpened.withLock({ $0 }) { await Task.yield() }
        // It was claimed and not committed: 35 seconds later it is anybody's.
        let later = Phone.start.advanced(by: .seconds(36))
        #expect(pipeline.content(userInfo: push, now: later).body == "Hello")
    }
}

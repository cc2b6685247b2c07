import Platform
import Testing
import UserNotifications

@testable import ExtensionHarness

struct DeviceTests {
    private let clock = SimulatedClock()
    private let byHand = Device.Conditions().with { $0.timekeeping = .byHand }

    @Test func `the extension's answer is shown`() async throws {
        let shown = try await device { handler in handler(content(title: "new", body: "text")) }.deliver(mutablePush)
        #expect(shown.why == .answered && shown.title == "new" && shown.body == "text")
        #expect(shown.handlerCallCount == 1 && !shown.terminatesExtension && !shown.isOriginal)
    }

    @Test func `an answer from another thread is shown`() async throws {
        let device = Device(byHand, clock: clock) {
            ScriptedExtension { _, handler in
                let handler = Handler(call: handler)
                Thread { handler.call(content(title: "later")) }.start()
            }
        }
        let shown = try await device.deliver(mutablePush)
        #expect(shown.why == .answered && shown.title == "later")
    }

    @Test func `what the extension changes after its answer is not shown`() async throws {
        let shown = try await device { handler in
            let answer = content(title: "answer")
            handler(answer)
            answer.title = "changed"
        }.deliver(mutablePush)
        #expect(shown.title == "answer")
    }

    @Test func `what an extension still waits for when its device goes is cancelled`() async throws {
        let (cancelled, continuation) = AsyncStream.makeStream(of: Void.self)
        let clock = clock
        var device: Device? = Device(byHand, clock: clock) {
            ScriptedExtension { _, handler in
                Task {
                    // Thrown by the end of the device alone: no time passes.
                    do { try await clock.sleep(for: .seconds(3_600)) } catch { continuation.finish() }
                }
                handler(content(title: "answer"))
            }
        }
        let other = Task { try await clock.sleep(for: .seconds(1)) }
        #expect(try await device?.deliver(mutablePush).title == "answer")
        await clock.waitForSleepers(2)
        device = nil
        // Without it this would wait for ever.
        for await _ in cancelled {}
        // Other sleepers on the same clock are still asleep.
        clock.advance(by: .seconds(1))
        try await other.value
    }

    @Test func `an extension that never calls back is told after 30 seconds, and its answer shown`() async throws {
        let device = Device(byHand, clock: clock) {
            ScriptedExtension(expire: { _, handler in handler(content(body: "best attempt")) })
        }
        async let delivery = device.deliver(mutablePush)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(30))
        let shown = try await delivery
        #expect(shown.why == .expired && shown.body == "best attempt" && !shown.isOriginal)
    }

    @Test func `a millisecond before its time is over the extension has not been told`() async throws {
        let (handlers, continuation) = AsyncStream.makeStream(of: Handler.self)
        let device = Device(byHand, clock: clock) {
            ScriptedExtension(
                receive: { _, handler in continuation.yield(Handler(call: handler)) },
                expire: { _, _ in Issue.record("told too early") }
            )
        }
        async let delivery = device.deliver(mutablePush)
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(29_999))
        await clock.waitForSleepers()
        for await handler in handlers.prefix(1) { handler.call(content(body: "in time")) }
        #expect(try await delivery.why == .answered)
    }

    @Test func `an extension that never answers leaves the original`() async throws {
        let device = Device(byHand, clock: clock) { ScriptedExtension() }
        let shown = try await expired(device)
        #expect(shown.why == .timedOut && shown.isOriginal && shown.handlerCallCount == 0)
        #expect(shown.title == "T" && shown.body == "B" && shown.userInfo["n"] == .integer(1))
    }

    @Test func `an answer when all is over is not shown, and counted as late`() async throws {
        let (handlers, continuation) = AsyncStream.makeStream(of: Handler.self)
        let device = Device(byHand, clock: clock) {
            ScriptedExtension { _, handler in continuation.yield(Handler(call: handler)) }
        }
        let shown = try await expired(device)
        #expect(shown.why == .timedOut && device.lateHandlerCallCount == 0)
        for await handler in handlers.prefix(1) { handler.call(content(title: "too late")) }
        #expect(device.lateHandlerCallCount == 1)
    }

    @Test func `calling the handler twice would end the process, and shows the first answer`() async throws {
        let shown = try await device { handler in
            handler(content(title: "first"))
            handler(content(title: "second"))
        }.deliver(mutablePush)
        #expect(shown.title == "first" && shown.handlerCallCount == 2 && shown.terminatesExtension)
    }

    @Test func `an answer without text shows the original`() async throws {
        let shown = try await device { handler in handler(content()) }.deliver(mutablePush)
        #expect(shown.why == .emptyAnswer && shown.isOriginal && shown.title == "T" && shown.body == "B")
    }

    @Test(arguments: [content(title: "x"), content(subtitle: "x"), content(body: "x")].map(Handed.init))
    func `any one text is enough for an answer`(_ answer: Handed) async throws {
        let shown = try await device { handler in handler(answer.content) }.deliver(mutablePush)
        #expect(shown.why == .answered)
    }

    @Test(arguments: [
        (#"{"aps":{"alert":"x"}}"#, ShownNotification.NotRunReason.notMutable),
        (#"{"aps":{"alert":"x","mutable-content":0}}"#, .notMutable),
        (#"{"aps":{"badge":1,"sound":"default","mutable-content":1}}"#, .noVisibleAlert),
        (#"{"aps":{"content-available":1,"mutable-content":1}}"#, .noVisibleAlert),
        (#"{"aps":{"alert":"","mutable-content":1}}"#, .noVisibleAlert),
    ])
    func `the extension is not run`(_ json: String, _ reason: ShownNotification.NotRunReason) async throws {
        let madeCount = Guarded(0)
        let device = Device(byHand, clock: clock) {
            madeCount.withLock { $0 += 1 }
            return ScriptedExtension()
        }
        let shown = try await device.deliver(Array(json.utf8))
        #expect(shown.why == .notRun(reason) && shown.isOriginal && shown.handlerCallCount == 0)
        #expect(madeCount.withLock { $0 } == 0)
    }

    @Test func `a malformed payload is a typed error, and no extension runs`() async {
        let device = Device(byHand, clock: clock) { ScriptedExtension() }
        await #expect(throws: SimulatedPushError.notJSON) { try await device.deliver(Array("{".utf8)) }
    }

    @Test func `didReceive and the expiry run on threads of their own`() async throws {
        // The threads themselves: the next one may have an ended one's identity.
        let threads = Guarded<[Thread]>([])
        let device = Device(byHand, clock: clock) {
            ScriptedExtension(
                receive: { _, _ in threads.withLock { $0.append(Thread.current) } },
                expire: { _, handler in
                    threads.withLock { $0.append(Thread.current) }
                    #expect(!Thread.isMainThread)
                    handler(content(body: "x"))
                }
            )
        }
        async let delivery = device.deliver(mutablePush)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(30))
        #expect(try await delivery.why == .expired)
        #expect(Set(threads.withLock { $0.map(ObjectIdentifier.init) }).count == 2)
    }

    @Test func `an expiry while didReceive still runs is heard`() async throws {
        // didReceive blocks until the expiry has answered, as in an extension that waits for the network.
        let device = Device(byHand, clock: clock) {
            let isExpired = DispatchSemaphore(value: 0)
            return ScriptedExtension(
                receive: { _, _ in isExpired.wait() },
                expire: { _, handler in
                    handler(content(body: "best attempt"))
                    isExpired.signal()
                }
            )
        }
        async let delivery = device.deliver(mutablePush)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(30))
        let shown = try await delivery
        #expect(shown.why == .expired && shown.handlerCallCount == 1)
    }

    @Test func `a hundred pushes at once each get their own answer`() async throws {
        let device = Device(byHand, clock: clock) {
            ScriptedExtension { request, handler in
                let copy = request.content.mutableCopy() as? UNMutableNotificationContent
                copy?.title = "seen \(request.content.body)"
                handler(copy ?? request.content)
            }
        }
        try await withThrowingTaskGroup(of: (Int, ShownNotification).self) { group in
            for index in 0..<100 {
                let payload = Array(#"{"aps":{"alert":"\#(index)","mutable-content":1}}"#.utf8)
                group.addTask { (index, try await device.deliver(payload)) }
            }
            for try await (index, shown) in group {
                #expect(shown.title == "seen \(index)" && shown.handlerCallCount == 1)
            }
        }
        #expect(device.lateHandlerCallCount == 0)
    }

    @Test func `one object can serve several pushes, as in a process that iOS reuses`() async throws {
        let reused = Reused(object: ScriptedExtension { request, handler in handler(request.content) })
        let device = Device(byHand, clock: clock) { reused.object }
        for _ in 0..<3 { #expect(try await device.deliver(mutablePush).why == .answered) }
    }

    @Test func `an extension that keeps the handler is released when its delivery is over`() async throws {
        let (releases, continuation) = AsyncStream.makeStream(of: Never.self)
        let device = Device(byHand, clock: clock) {
            let token = Token(onRelease: { continuation.finish() })
            return ScriptedExtension { request, handler in withExtendedLifetime(token) { handler(request.content) } }
        }
        #expect(try await device.deliver(mutablePush).why == .answered)
        for await _ in releases {}
    }

    @Test func `a cancelled delivery still ends`() async throws {
        let device = Device(byHand, clock: clock) {
            ScriptedExtension(expire: { _, handler in handler(content(body: "best attempt")) })
        }
        let delivery = Task { try await device.deliver(mutablePush) }
        await clock.waitForSleepers()
        delivery.cancel()
        let shown = try await delivery.value
        #expect([.timedOut, .expired].contains(shown.why))
    }

    private func device(
        _ receive: @escaping @Sendable (ScriptedExtension.ContentHandler) -> Void
    ) -> Device {
        Device(byHand, clock: clock) { ScriptedExtension { _, handler in receive(handler) } }
    }

    /// Lets both limits pass without an answer.
    private func expired(_ device: Device) async throws -> ShownNotification {
        async let delivery = device.deliver(mutablePush)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(30))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        return try await delivery
    }
}

/// Signals the end of the extension that holds it.
private final class Token: Sendable {
    private let onRelease: @Sendable () -> Void

    init(onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }
}

/// Its steps are constants, and the deliveries of the test that shares it do not overlap.
private struct Reused: @unchecked Sendable {
    let object: ScriptedExtension
}

/// Made before the test and only read by it.
struct Handed: @unchecked Sendable {
    let content: UNMutableNotificationContent
}

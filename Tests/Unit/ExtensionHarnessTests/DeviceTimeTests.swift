import Platform
import Testing
import UserNotifications

@testable import ExtensionHarness

struct DeviceTimeTests {
    @Test func `thirty seconds on the device's own clock pass at once`() async throws {
        let clock = SimulatedClock()
        let device = Device(clock: clock) { ScriptedExtension { _, handler in answer(after: .seconds(29), handler) } }
        let shown = try await device.deliver(mutablePush)
        #expect(shown.why == .answered && shown.time == .virtual, "\(shown)")
        #expect(clock.now.offset == .seconds(29))
    }

    @Test func `an extension that waits too long on the device's clock is told when its time is over`() async throws {
        let clock = SimulatedClock()
        let device = Device(clock: clock) {
            ScriptedExtension(
                receive: { _, handler in answer(after: .seconds(40), handler) },
                expire: { _, handler in handler(content(body: "best attempt")) }
            )
        }
        let shown = try await device.deliver(mutablePush)
        #expect(shown.why == .expired && shown.body == "best attempt" && shown.time == .virtual)
        #expect(clock.now.offset == .seconds(30))
    }

    /// A claim of 35 seconds must not end while the machine stands still, and the phone does not.
    @Test func `between two pushes the device's uptime does not advance with the machine's`() async throws {
        let uptimes = Guarded<[Uptime]>([])
        let device = Device {
            ScriptedExtension { _, handler in
                uptimes.withLock { $0.append(.now) }
                answer(after: .seconds(3), handler)
            }
        }
        _ = try await device.deliver(mutablePush)
        let machine = Uptime.ofMachine
        while Uptime.ofMachine == machine {}
        _ = try await device.deliver(mutablePush)
        let (first, second) = uptimes.withLock { ($0[0], $0[1]) }
        #expect(second == first.advanced(byMilliseconds: 3_000))
    }

    @Test func `many short waits come in their order`() async throws {
        let clock = SimulatedClock()
        let device = Device(clock: clock) {
            ScriptedExtension { _, handler in
                let handler = Handler(call: handler)
                let clock = DeviceRules.clock
                // The run waits for the answer, so the task does not outlive the test.
                Task {
                    for _ in 0..<5 { try? await clock.wait(for: .seconds(5)) }
                    handler.call(content(body: "in time"))
                }
            }
        }
        let shown = try await device.deliver(mutablePush)
        #expect(shown.why == .answered && clock.now.offset == .seconds(25))
    }

    @Test func `what a stranger waits for in real time is measured in scaled time`() async throws {
        let device = Device(.init().with { $0.timekeeping = .automatic(scale: 3_000) }) { ScriptedExtension() }
        let shown = try await device.deliver(mutablePush)
        #expect(shown.why == .timedOut && shown.time == .scaled(by: 3_000))
        #expect(shown.description.contains("3000.0 times as fast"))
    }

    @Test func `no time passes while a test's own work asks for that`() async throws {
        let clock = SimulatedClock()
        let (work, continuation) = AsyncStream.makeStream(of: Never.self)
        let device = Device(clock: clock) {
            ScriptedExtension { _, handler in
                let handler = Handler(call: handler)
                Task {
                    let deadline = await clock.standingStill {
                        let deadline = Task { try? await clock.sleep(for: .seconds(8)) }
                        for await _ in work {}
                        return deadline
                    }
                    handler.call(content(body: "at \(clock.now.offset)"))
                    deadline.cancel()
                }
            }
        }
        async let delivery = device.deliver(mutablePush)
        await clock.waitUntilStill()
        // Ample real time: the clock would have moved.
        try await Task.sleep(for: PassageOfTime.lookInterval * (PassageOfTime.settledLookCount * 3))
        continuation.finish()
        #expect(try await delivery.body == "at 0.0 seconds")
    }

    @Test func `no time passes while code works on another thread and says so`() async throws {
        let clock = SimulatedClock()
        let device = Device(clock: clock) {
            ScriptedExtension { _, handler in
                let handler = Handler(call: handler)
                let device = SimulatedDevice.current
                let deadline = Task { try? await clock.sleep(for: .seconds(25)) }
                let begun = DispatchSemaphore(value: 0)
                Thread {
                    device?.run {
                        begun.signal()
                        // Ample real time: the clock would have moved.
                        Thread.sleep(forTimeInterval: 0.1)
                        handler.call(content(body: "at \(clock.now.offset)"))
                    }
                    deadline.cancel()
                }.start()
                // The block must have its thread before.
                begun.wait()
            }
        }
        #expect(try await device.deliver(mutablePush).body == "at 0.0 seconds")
    }

    @Test func `an answer at once needs no time`() async throws {
        let shown = try await Device { ScriptedExtension { $1($0.content) } }.deliver(mutablePush)
        #expect(shown.time == .none && shown.memory == .none)
    }

    @Test(arguments: [
        (Device.Expiry.early(by: .seconds(29)), 1), (.onTime, 30), (.late(by: .seconds(3)), 33),
    ])
    func `the extension is told early, on time or late`(_ expiry: Device.Expiry, _ seconds: Int) async throws {
        let clock = SimulatedClock()
        let device = Device(.init().with { $0.expiry = expiry }, clock: clock) {
            ScriptedExtension(
                receive: { _, handler in answer(after: .seconds(60), handler) },
                expire: { _, handler in handler(content(body: "best attempt")) }
            )
        }
        #expect(try await device.deliver(mutablePush).why == .expired)
        #expect(clock.now.offset == .seconds(seconds))
    }

    @Test func `an extension that is never told is ended at the limit`() async throws {
        let clock = SimulatedClock()
        let device = Device(.init().with { $0.expiry = .never }, clock: clock) {
            ScriptedExtension(
                receive: { _, handler in answer(after: .seconds(60), handler) },
                expire: { _, _ in Issue.record("told") }
            )
        }
        let shown = try await device.deliver(mutablePush)
        #expect(shown.why == .timedOut && shown.ending == .timedOut && shown.terminatesExtension)
        #expect(clock.now.offset == .seconds(30))
    }

    @Test func `an extension can be told twice`() async throws {
        let reportedCount = Guarded(0)
        let device = Device(.init().with { $0.expiry = .twice }) {
            ScriptedExtension(
                receive: { _, handler in answer(after: .seconds(60), handler) },
                expire: { _, _ in reportedCount.withLock { $0 += 1 } }
            )
        }
        #expect(try await device.deliver(mutablePush).why == .timedOut)
        #expect(reportedCount.withLock { $0 } == 2)
    }
}

/// Answers as an extension does: in a task that outlives `didReceive`, on the clock of its device.
private func answer(after duration: Duration, _ handler: @escaping ScriptedExtension.ContentHandler) {
    let handler = Handler(call: handler)
    let clock = DeviceRules.clock
    Task {
        // It is never cancelled.
        try? await clock.wait(for: duration)
        handler.call(content(body: "in time"))
    }
}

extension Clock where Duration == Swift.Duration {
    fileprivate func wait(for duration: Duration) async throws {
        try await sleep(until: now.advanced(by: duration), tolerance: nil)
    }
}

extension SimulatedClock {
    /// Returns once there is a sleeper and a hold on time.
    fileprivate func waitUntilStill() async {
        while reading.sleeperCount < 1 || !reading.isStandingStill { await Task.yield() }
    }
}

import Dispatch
import Envelope
import Platform
import TestSupport
import Testing

@testable import NotificationCore

/// Abuse case 104, fault by fault, on real threads and in real tasks. Time is the test's.
struct ExtensionCoreTests {
    private let clock = StepClock()
    private let script: Script

    init() throws { script = try Script() }

    private func core(
        _ steps: DeliverySteps? = nil,
        attachments: ScriptedFetcher? = nil,
        timing: DeliveryTiming = DeliveryTiming()
    ) -> ExtensionCore {
        var settings = ExtensionCore.Settings()
        settings.attachments = attachments
        settings.timing = timing
        var surroundings = DeliverySurroundings.ofThisDevice
        surroundings.clock = clock
        return ExtensionCore(
            steps: steps ?? script.steps(),
            reports: [],
            settings: settings,
            surroundings: surroundings
        )
    }

    private func answer(of core: ExtensionCore, during body: @escaping @Sendable () -> Void = {}) async {
        await withCheckedContinuation { continuation in
            core.receive(userInfo: [:], requestID: "1") { [script] content in
                script.answer(content)
                continuation.resume()
            }
            body()
        }
    }

    private func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }

    @Test func `a text is shown, remembered and counted, and no timer stays behind`() async {
        await answer(of: core())
        await until { script.entries.count == 4 }
        #expect(
            script.entries == [.opened, .answered("text", attachments: []), .remembered("text"), .counted(.opened)]
        )
        await until { clock.sleeperCount == 0 }
    }

    @Test func `opening that hangs is answered at the deadline, and what opens later is neither shown nor remembered`()
        async
    {
        let disk = Gate()
        await withCheckedContinuation { continuation in
            core(script.steps(opening: { disk.wait() })).receive(userInfo: [:], requestID: "1") { [script] content in
                script.answer(content)
                continuation.resume()
            }
            Task { [clock] in
                // A push not begun by the deadline is not opened at all.
                while !disk.isWaitedFor || !clock.wakeNext() { await Task.yield() }
            }
        }
        #expect(clock.now.offset == .seconds(25))
        #expect(script.answers == [.answered(script.neutral.body, attachments: [])])
        disk.open()
        // Answered, kept for the app, counted, opened: nothing else.
        await until { script.entries.count == 4 }
        #expect(script.entries.contains(.opened) && script.entries.contains(.counted(.notOpenedInTime)))
        #expect(script.entries.filter { $0 == .kept }.count == 1)
    }

    @Test func `eight openings that hang still leave the deadline a thread, and what waits behind them opens nothing`()
        async
    {
        let disk = Gate()
        let core = core(script.steps(opening: { disk.wait() }))
        let count = 8
        for number in 0..<count { core.receive(userInfo: [:], requestID: "\(number)") { script.answer($0) } }
        await until { clock.sleeperCount == count }
        while clock.wakeNext() {}
        await until { script.answers.count == count }
        disk.open()
        await until { script.entries.filter { $0 == .counted(.notOpenedInTime) }.count == count }
        #expect(script.entries.filter { $0 == .opened }.count <= WorkerThreads.threadCountMax)
    }

    @Test func `expiry answers every push that is in flight, and a second one nothing`() async {
        let disk = Gate()
        let core = core(script.steps(opening: { disk.wait() }))
        for number in 0..<3 { core.receive(userInfo: [:], requestID: "\(number)") { script.answer($0) } }
        core.timeWillExpire()
        await until { script.answers.count == 3 }
        core.timeWillExpire()
        disk.open()
        await until { script.entries.filter { $0 == .counted(.notOpenedInTime) }.count == 3 }
        #expect(script.answers.count == 3)
    }

    @Test func `expiry with nothing in flight does nothing`() {
        core().timeWillExpire()
        #expect(script.entries.isEmpty)
    }

    @Test func `an attachment that comes in time is shown with the text`() async {
        await answer(of: core(attachments: ScriptedFetcher(count: 2)))
        #expect(script.answers == [.answered("text", attachments: ["1", "2"])])
    }

    @Test func `a text waits for its attachments for the slice and no longer, and takes what is there`() async {
        let fetcher = ScriptedFetcher(count: 9, pause: .seconds(3), clock: clock)
        await answer(of: core(attachments: fetcher)) { [clock] in
            Task {
                while clock.now.offset < .seconds(8) {
                    // All sleepers are there: deadline, slice and fetch.
                    if clock.sleeperCount == 3 { clock.wakeNext() } else { await Task.yield() }
                }
            }
        }
        #expect(clock.now.offset == .seconds(8))
        #expect(script.answers == [.answered("text", attachments: ["1", "2"])])
    }

    @Test func `a fetcher that goes on when it is told to stop is not waited for`() async {
        let fetcher = ScriptedFetcher(count: 1_000, pause: .seconds(1), clock: clock, isStubborn: true)
        let core = core(attachments: fetcher)
        core.receive(userInfo: [:], requestID: "1") { script.answer($0) }
        await until { clock.sleeperCount == 3 }
        core.timeWillExpire()
        #expect(script.answers == [.answered("text", attachments: [])])
        await until { script.entries.contains(.counted(.opened)) }
        #expect(script.answers.count == 1)
    }

    @Test func `without a slice for attachments nothing is fetched`() async {
        let timing = DeliveryTiming(attachmentSlice: .zero)
        await answer(of: core(attachments: ScriptedFetcher(count: 1), timing: timing))
        #expect(script.answers == [.answered("text", attachments: [])])
    }

    @Test func `a handler that says that the time is over does not lock up`() async {
        let core = core()
        await withCheckedContinuation { continuation in
            core.receive(userInfo: [:], requestID: "1") { [script] content in
                script.answer(content)
                core.timeWillExpire()
                continuation.resume()
            }
        }
        await until { script.entries.contains(.counted(.opened)) }
        #expect(script.answers.count == 1)
    }

    @Test func `of work and expiry on two threads exactly one answers, 1,000 times`() async {
        for _ in 0..<1_000 {
            let script = Script(like: script)
            let core = core(script.steps())
            await withTaskGroup { group in
                group.addTask { core.receive(userInfo: [:], requestID: "1") { script.answer($0) } }
                group.addTask { core.timeWillExpire() }
            }
            await until {
                script.entries.contains(.counted(.opened)) || script.entries.contains(.counted(.notOpenedInTime))
            }
            #expect(script.answers.count == 1)
        }
    }

    @Test func `more pushes than anybody has are answered all the same, with neutral words`() async {
        let disk = Gate()
        let core = core(script.steps(opening: { disk.wait() }))
        let countMax = PendingDeliveries.countMax
        for number in 0...countMax { core.receive(userInfo: [:], requestID: "\(number)") { script.answer($0) } }
        #expect(script.answers == [.answered(script.neutral.body, attachments: [])])
        core.timeWillExpire()
        disk.open()
        await until { script.answers.count == countMax + 1 }
        // All of them are the app's.
        await until { script.entries.filter { $0 == .kept }.count == countMax + 1 }
    }

    @Test func `handlers that block hold up no other push`() async {
        let block = Gate()
        let core = core()
        for number in 0..<3 * WorkerThreads.threadCountMax {
            core.receive(userInfo: [:], requestID: "\(number)") { _ in block.wait() }
        }
        await answer(of: core)
        #expect(script.answers == [.answered("text", attachments: [])])
        block.open()
        await until { script.entries.filter { $0 == .counted(.opened) }.count == 3 * WorkerThreads.threadCountMax + 1 }
    }

    @Test(arguments: [true, false])
    func `when the time is over a handler that blocks holds up no other push`(isDeadline: Bool) async {
        let (disk, block) = (Gate(), Gate())
        let core = core(script.steps(opening: { disk.wait() }))
        // More than there are threads for tasks.
        let count = 64
        for number in 0..<count { core.receive(userInfo: [:], requestID: "\(number)") { _ in block.wait() } }
        core.receive(userInfo: [:], requestID: "last") { script.answer($0) }
        if isDeadline {
            await until { clock.sleeperCount == count + 1 }
            while clock.wakeNext() {}
        } else {
            core.timeWillExpire()
        }
        await until { script.answers.count == 1 }
        block.open()
        disk.open()
        await until { script.entries.filter { $0 == .counted(.notOpenedInTime) }.count == count + 1 }
    }

    #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
    @Test func `what follows an answer is done in an activity that begins before it`() async {
        let log = Guarded<[String]>([])
        let note: @Sendable (String) -> Void = { word in log.withLock { $0.append(word) } }
        var steps = script.steps(opening: { note("opened") }, remembering: { note("remembered") })
        steps.count = { _ in note("counted") }
        let core = core(steps)
        device(noting: note).run { core.receive(userInfo: [:], requestID: "1") { _ in note("answered") } }
        await until { log.withLock { $0.filter { $0 == "ends" }.count == 2 } }
        let expected = ["begins", "opened", "begins", "answered", "remembered", "counted", "ends", "ends"]
        #expect(log.withLock { $0 } == expected)
    }

    @Test func `opening that outlasts the answer is done in an activity of its own`() async {
        let log = Guarded<[String]>([])
        let note: @Sendable (String) -> Void = { word in log.withLock { $0.append(word) } }
        let disk = Gate()
        var steps = script.steps(opening: { disk.wait() })
        steps.count = { _ in note("counted") }
        let core = core(steps)
        let device = device(noting: note)
        device.run { core.receive(userInfo: [:], requestID: "1") { _ in note("answered") } }
        await until { disk.isWaitedFor }
        device.run { core.timeWillExpire() }
        // The work after the answer is over, and the disk has not answered yet.
        await until { log.withLock { $0.last } == "ends" }
        #expect(log.withLock { $0 } == ["begins", "begins", "answered", "counted", "ends"])
        disk.open()
        await until { log.withLock { $0.filter { $0 == "ends" }.count == 2 } }
    }

    private func device(noting note: @escaping @Sendable (String) -> Void) -> SimulatedDevice {
        SimulatedDevice(
            appGroupsPath: nil,
            clock: clock,
            wallClock: { 0 },
            activity: { _ in
                note("begins")
                return { note("ends") }
            }
        )
    }
    #endif

    @Test func `a clock that fails costs no answer`() async {
        let disk = Gate()
        var surroundings = DeliverySurroundings.ofThisDevice
        surroundings.clock = BrokenClock()
        let core = ExtensionCore(
            steps: script.steps(opening: { disk.wait() }),
            reports: [],
            settings: ExtensionCore.Settings(),
            surroundings: surroundings
        )
        await answer(of: core)
        #expect(script.answers == [.answered(script.neutral.body, attachments: [])])
        disk.open()
        await until { script.entries.contains(.counted(.notOpenedInTime)) }
    }
}

/// A disk that hangs until the test opens it.
private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let waiters = Guarded(0)

    var isWaitedFor: Bool { waiters.withLock { $0 } > 0 }

    func open() { semaphore.signal() }

    /// Blocks a thread of the extension's own.
    func wait() {
        waiters.withLock { $0 += 1 }
        semaphore.wait()
        semaphore.signal()
    }
}

private struct BrokenClock: Clock {
    struct Failure: Error {}

    var now: StepClock.Instant { StepClock.Instant(offset: .zero) }
    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: StepClock.Instant, tolerance: Duration?) async throws { throw Failure() }
}

import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Networking

@Suite struct EventLoopTests {
    @Test func `work from many threads runs once, in each thread's order`() async throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        let log = LoopBound(Log<[Int]>(), to: loop)
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask {
                    for step in 0..<500 {
                        loop.perform { log.value.entries.append([thread, step]) }
                    }
                }
            }
        }
        let entries = await loop.run { log.value.entries }
        #expect(entries.count == 4000)
        for thread in 0..<8 {
            #expect(entries.filter { $0[0] == thread }.map { $0[1] } == Array(0..<500))
        }
    }

    @Test func `who made a loop may be gone while it runs`() async throws {
        final class Owner: Sendable {
            let loop: EventLoop
            let whenGone: @Sendable () -> Void
            init(_ loop: EventLoop, whenGone: @escaping @Sendable () -> Void) {
                self.loop = loop
                self.whenGone = whenGone
            }
            deinit {
                loop.stopAnywhere()
                whenGone()
            }
        }
        let loop = try EventLoop()
        // The queued job holds the last reference.
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            loop.perform { [loop] in
                let owner = Owner(loop) {
                    #expect(loop.isOnLoop && loop.isStopping)
                    continuation.resume()
                }
                loop.perform { withExtendedLifetime(owner) {} }
            }
        }
        #expect(loop.isStopping)
    }

    @Test(arguments: [false, true])
    func `a thread that waits gets what the loop worked out, also from a loop that has stopped`(
        _ isStopped: Bool
    ) throws {
        let loop = try EventLoop()
        if isStopped { loop.stop() }
        let (isOnLoop, number) = loop.wait { (loop.isOnLoop, 7) }
        #expect(isOnLoop && number == 7)
        loop.stop()
    }

    @Test func `timers fire by deadline, and a cancelled one never`() async throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        var order: [Int]?
        // Each deadline counts from its own call: if the machine pauses between two, their order changes.
        while order == nil {
            order = await withCheckedContinuation { continuation in
                loop.perform {
                    let log = Log<Int>()
                    let begin = MonotonicTime.now()
                    var isSteady = false
                    loop.schedule(after: .milliseconds(9)) {
                        continuation.resume(returning: isSteady ? log.entries + [4] : nil)
                    }
                    loop.schedule(after: .milliseconds(3)) { log.entries.append(2) }
                    let cancelled = loop.schedule(after: .milliseconds(5)) { log.entries.append(99) }
                    loop.schedule(after: .milliseconds(1)) { log.entries.append(1) }
                    loop.schedule(after: .milliseconds(7)) { log.entries.append(3) }
                    cancelled.cancel()
                    cancelled.cancel()
                    isSteady = MonotonicTime.now() - begin < .milliseconds(2)
                }
            }
        }
        #expect(order == [1, 2, 3, 4])
    }

    @Test func `a heap of timers gives them back sorted, also after removals`() throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        let seed = RunSeed.here()
        var generator = SeededGenerator(seed: seed)
        var heap = TimerHeap()
        let log = Log<Int64>()
        let timers = (0..<500).map { _ in
            let deadline = MonotonicTime(nanoseconds: Int64.random(in: 0...200, using: &generator))
            return LoopTimer(deadline: deadline, loop: loop) { log.entries.append(deadline.nanoseconds) }
        }
        for timer in timers { heap.insert(timer) }
        let removed = timers.shuffled(using: &generator).prefix(200)
        for timer in removed { heap.remove(timer) }
        while let action = heap.popAction(at: MonotonicTime(nanoseconds: 1000)) { action() }
        let kept = timers.filter { timer in !removed.contains { $0 === timer } }
        #expect(log.entries == kept.map(\.deadline.nanoseconds).sorted(), "seed \(seed)")
    }

    @Test(
        arguments: [
            (Int64.min, 0), (999_000_000, 0), (1_000_000_000, 0), (1_000_000_001, 1), (1_001_000_000, 1),
            (1_001_000_001, 2),
            (Int64.max, Int32.max),
        ] as [(Int64, Int32)]
    )
    func `the wait for a timer is rounded up, and none for one that is due`(
        _ deadline: Int64,
        _ milliseconds: Int32
    ) throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        var heap = TimerHeap()
        let now = MonotonicTime(nanoseconds: 1_000_000_000)
        #expect(heap.waitMilliseconds(at: now) == -1)
        heap.insert(LoopTimer(deadline: MonotonicTime(nanoseconds: deadline), loop: loop) {})
        #expect(heap.waitMilliseconds(at: now) == milliseconds)
    }

    @Test func `for ever is not a deadline in the past`() {
        let now = MonotonicTime.now()
        #expect(now + .seconds(Int64.max) > now)
        #expect(now + .seconds(Int64.min) < now)
        #expect(now + .milliseconds(1) - now == .milliseconds(1))
    }

    @Test func `an event for a closed descriptor does not reach the one that took its number`() async throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        let scene = LoopBound(StaleScene(loop), to: loop)
        let isPrepared = await loop.run { scene.value.prepare() }
        #expect(isPrepared)
        // Both pipes were readable before the watch: the next turn sees both in one batch.
        await loop.run {}
        await loop.run {}
        let (first, second) = await loop.run { (scene.value.firstCount, scene.value.newcomerCount) }
        #expect(first == 1)
        #expect(second == 0)
        await loop.run { scene.value.tearDown() }
    }

    @Test func `stopping runs what is queued and tells who watches`() async throws {
        let loop = try EventLoop()
        let counter = Counter()
        let watcher = LoopBound(StopWatcher(counter), to: loop)
        let isWatching = await loop.run { watcher.value.watch(loop) }
        #expect(isWatching)
        for _ in 0..<100 { loop.perform { counter.add() } }
        loop.stop()
        #expect(counter.value == 101)
        loop.stop()
    }

    @Test func `a task may be all that is left of who needs a loop, also of one that has stopped`() async throws {
        var loop: EventLoop? = try EventLoop()
        weak let remembered = loop
        let (gate, opener) = AsyncStream.makeStream(of: Never.self)
        // It waits elsewhere; its end is enqueued at the loop, whose last reference it drops.
        let task = Task(executorPreference: loop) { for await _ in gate {} }
        loop?.stop()
        loop = nil
        opener.finish()
        await task.value
        while remembered != nil { await Task.yield() }
    }

    @Test func `work for a stopped loop runs at its caller's, one at a time`() async throws {
        let loop = try EventLoop()
        loop.stop()
        let log = LoopBound(Log<Bool>(), to: loop)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<100 { loop.perform { log.value.entries.append(loop.isOnLoop) } }
                }
            }
        }
        let entries = await loop.run { log.value.entries }
        #expect(entries == [Bool](repeating: true, count: 400))
    }

    @Test func `a pinned task and an actor on the loop run on its thread`() async throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        let isPinned = await Task(executorPreference: loop) {
            let before = loop.isOnLoop
            await Task.yield()
            return before && loop.isOnLoop
        }.value
        #expect(isPinned)
        #expect(await Resident(loop).isOnLoop())
    }

    @Test func `a pinned task goes on at an await without being queued again`() async throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        let runCount = await Task(executorPreference: loop) {
            let counter = Counter()
            loop.perform { counter.add() }
            await goOn()
            return counter.value
        }.value
        #expect(runCount == 0)
    }
}

@concurrent private func goOn() async {}

private actor Resident {
    private let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func isOnLoop() -> Bool {
        loop.isOnLoop
    }
}

final class Log<Entry> {
    var entries: [Entry] = []
}

final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    @discardableResult
    func add() -> Int {
        count.add(1, ordering: .sequentiallyConsistent).newValue
    }
}

private final class StopWatcher: ReadinessHandler {
    private let counter: Counter
    private var pipe = Pipe()

    init(_ counter: Counter) {
        self.counter = counter
    }

    deinit {
        pipe.close()
    }

    func watch(_ loop: EventLoop) -> Bool {
        // Nil would be a failed epoll call, which the test reports.
        (try? loop.watch(pipe.reading, for: .read, handler: self)) != nil
    }

    func handleReadiness(_ readiness: Readiness) {}

    func handleLoopStop() {
        counter.add()
    }
}

private struct Pipe {
    private(set) var reading: Int32 = -1
    private(set) var writing: Int32 = -1

    init() {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return }
        (reading, writing) = (ends[0], ends[1])
    }

    func fill() -> Bool {
        unsafe write(writing, "x", 1) == 1
    }

    func close() {
        Glibc.close(reading)
        Glibc.close(writing)
    }
}

/// Two readable pipes; the one served first replaces the other by an empty one with the same number.
private final class StaleScene {
    private final class First: ReadinessHandler {
        let act: (Int) -> Void
        let index: Int

        init(_ index: Int, act: @escaping (Int) -> Void) {
            self.index = index
            self.act = act
        }

        func handleReadiness(_ readiness: Readiness) { act(index) }
        func handleLoopStop() {}
    }

    private let loop: EventLoop
    private let pipes = [Pipe(), Pipe()]
    private let empty = Pipe()
    private var watches: [EventLoop.Watch] = []
    private var newcomer: EventLoop.Watch?
    private(set) var firstCount = 0
    private(set) var newcomerCount = 0

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func prepare() -> Bool {
        for index in 0..<2 {
            let handler = First(index) { [unowned self] in replace(other: 1 - $0) }
            // Nil would be a failed epoll call, which the test reports.
            guard pipes[index].fill(), let watch = try? loop.watch(pipes[index].reading, for: .read, handler: handler)
            else { return false }
            watches.append(watch)
        }
        return true
    }

    private func replace(other: Int) {
        firstCount += 1
        for watch in watches { loop.unwatch(watch) }
        let number = pipes[other].reading
        dup2(empty.reading, number)
        let handler = First(2) { [unowned self] _ in newcomerCount += 1 }
        newcomer = try? loop.watch(number, for: .read, handler: handler)
    }

    func tearDown() {
        if let newcomer { loop.unwatch(newcomer) }
        for pipe in pipes { pipe.close() }
        empty.close()
    }
}

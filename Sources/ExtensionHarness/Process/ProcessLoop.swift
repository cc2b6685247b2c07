internal import CLinux
internal import Platform
internal import UserNotifications

/// Thread of one extension process: starts it, watches it, and performs `ProcessSupervision`'s actions.
///
/// Polls, because a process does not report its memory.
final class ProcessLoop {
    /// Interval of memory readings for a process without a control group.
    static let interval: Duration = .milliseconds(5)
    private static let busyMilliseconds: Int32 = 5
    private static let idleMilliseconds: Int32 = 1_000
    /// Bounds one read, so that an endless writer is still watched.
    private static let chunkCountMax = 64

    private struct Push {
        let request: ExtensionRequest
        let finish: @Sendable (ExtensionOutcome?) -> Void
    }

    private let setting: ProcessWatch.Setting
    private let inbox: Guarded<ProcessWatch.Inbox>
    private let wakeEvent: WakeEvent
    private let group: MemoryGroup?
    private let enforcement: MemoryEnforcement
    private let start = ContinuousClock.now
    private var supervision: ProcessSupervision
    private var pushes: [Int: Push] = [:]
    private var incoming = LineBuffer()
    private var outgoing: [UInt8] = []
    private var isChannelClosed = false
    private var isEndWanted = false
    private var appGroupsPath: String?
    private var time: DeviceTime?
    private var center: (any NotificationSystem)?

    init(_ setting: ProcessWatch.Setting, inbox: Guarded<ProcessWatch.Inbox>, wakeEvent: WakeEvent) {
        self.setting = setting
        self.inbox = inbox
        self.wakeEvent = wakeEvent
        group = Sanitizer.isPresent ? nil : MemoryGroup(byteCountMax: setting.memoryByteCountMax)
        enforcement =
            Sanitizer.isPresent ? .none : group == nil ? .polled(every: Self.interval) : .controlGroup
        let isPolled = enforcement == .polled(every: Self.interval)
        supervision = ProcessSupervision(memoryByteCountMax: isPolled ? setting.memoryByteCountMax : nil)
    }

    /// Runs until the process is over or not needed.
    ///
    /// - Returns: outcome of every later push; nil: it takes another process.
    func run() -> ExtensionOutcome? {
        var commands = inbox.withLock { $0.take() }
        while commands.isEmpty {
            wait(for: [wakeEvent.descriptor], Self.idleMilliseconds)
            commands = inbox.withLock { $0.take() }
        }
        do throws(ConfinedProcess.StartError) {
            var process = try ConfinedProcess(setting.program, folder: setting.folder, group: group)
            follow(commands, process)
            while !supervision.isOver, !isEndWanted || supervision.hasActivities { turn(&process) }
            return nil
        } catch {
            let outcome = ExtensionOutcome(ending: .hostFailed)
            for case .deliver(_, _, let finish) in commands { finish(outcome) }
            return outcome
        }
    }

    /// Device's clock, which passes with the process's time while a push is served.
    private struct DeviceTime {
        let clock: SimulatedClock
        let scale: Double
        let origin: SimulatedClock.Instant
        let start = ContinuousClock.now

        init(_ request: ExtensionRequest) {
            clock = request.clock
            scale = request.timeScale
            origin = clock.now
        }

        func pass() {
            let now = origin.advanced(by: (ContinuousClock.now - start) * scale)
            // A change meanwhile is another push's, which moves it too.
            _ = clock.advance(to: now, unlessChangedSince: clock.reading)
        }
    }

    private func turn(_ process: inout ConfinedProcess) {
        let descriptors = isChannelClosed ? [wakeEvent.descriptor] : [wakeEvent.descriptor, process.channel]
        wait(for: descriptors, supervision.isIdle ? Self.idleMilliseconds : Self.busyMilliseconds)
        follow(inbox.withLock { $0.take() }, process)
        time?.pass()
        send(process)
        // Before its messages: if this thread was delayed, an answer must not hide the memory it took.
        if let byteCount = Footprint.byteCount(of: process.id) { handle(.measured(byteCount: byteCount), process) }
        receive(process)
        switch process.change() {
        case .stopped:
            // The process is stopped, so its messages are complete.
            receive(process)
            let lateLockCount = supervision.lateLockCount
            handle(.suspended(holdsLock: holdsLock(process.id)), process)
            if supervision.lateLockCount > lateLockCount { setting.onLateLock() }
        case .ended(let end):
            receive(process)
            if let peak = group?.peakByteCount { handle(.measured(byteCount: peak), process) }
            handle(.ended(end, isOutOfMemory: group?.isOutOfMemory ?? false), process)
        case nil:
            handle(.tick, process)
        }
    }

    private func follow(_ commands: [ProcessWatch.Command], _ process: borrowing ConfinedProcess) {
        for command in commands {
            switch command {
            case .deliver(let number, let request, let finish):
                pushes[number] = Push(request: request, finish: finish)
                appGroupsPath = request.appGroupsPath
                center = request.center
                time = time ?? DeviceTime(request)
                handle(.delivered(number, request.schedule), process)
                order(.deliver(HostDelivery(number, request)))
            case .hurry(let number): handle(.hurried(number), process)
            case .end: isEndWanted = true
            }
        }
    }

    private func handle(_ event: ProcessSupervision.Event, _ process: borrowing ConfinedProcess) {
        for action in supervision.handle(event, at: ContinuousClock.now - start) {
            switch action {
            case .callExpiry(let number): order(.expire(number))
            case .expireActivities: order(.expireActivities)
            case .change(let number, let index): change(number, index)
            case .suspend: process.signal(SIGSTOP)
            case .resume: process.signal(SIGCONT)
            case .kill: process.signal(SIGKILL)
            case .finish(let number, let outcome): finish(number, outcome)
            }
        }
    }

    private func finish(_ number: Int, _ outcome: ExtensionOutcome) {
        guard let push = pushes.removeValue(forKey: number) else { return }
        var outcome = outcome
        if pushes.isEmpty { time = nil }
        outcome.time = push.request.timeScale == 1 ? .real : .scaled(by: push.request.timeScale)
        outcome.memory = enforcement
        outcome.peakMemoryByteCount = max(supervision.peakByteCount, group?.peakByteCount ?? 0)
        push.finish(outcome)
    }

    private func change(_ number: Int, _ index: Int) {
        guard let request = pushes[number]?.request, request.changes.indices.contains(index) else { return }
        order(.change(HostChange(request.changes[index].event)))
    }

    private func order(_ order: HostOrder) {
        // A payload that was JSON can be written as JSON.
        outgoing += HostCoding.line(order) ?? []
    }

    private func send(_ process: borrowing ConfinedProcess) {
        while !outgoing.isEmpty, !isChannelClosed {
            let count = unsafe outgoing.withUnsafeBytes {
                unsafe clinux_send(process.channel, $0.baseAddress, $0.count)
            }
            // Full or gone; the read detects the latter.
            guard count > 0 else { return }
            outgoing.removeFirst(count)
        }
    }

    private func receive(_ process: borrowing ConfinedProcess) {
        for _ in 0..<Self.chunkCountMax where !isChannelClosed {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe read(process.channel, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else {
                isChannelClosed = true
                return handle(.fellSilent, process)
            }
            incoming.append(chunk[..<count])
            report(process)
        }
    }

    private func report(_ process: borrowing ConfinedProcess) {
        let lateCount = supervision.lateAnswerCount
        while let line = incoming.next() {
            guard let report = HostCoding.message(HostReport.self, line: line) else {
                handle(.unreadable, process)
                continue
            }
            if case .screen(let change) = report, let center { change.apply(to: center) }
            handle(.reported(report), process)
        }
        if incoming.isOverflown { handle(.unreadable, process) }
        for _ in lateCount..<supervision.lateAnswerCount { setting.onLateAnswer() }
    }

    private func holdsLock(_ id: Int32) -> Bool {
        appGroupsPath.map { HeldLocks.isAny(of: id, in: $0) } ?? false
    }

    private func wait(for descriptors: [Int32], _ milliseconds: Int32) {
        var polls = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // The caller checks every source itself.
        _ = unsafe poll(&polls, nfds_t(polls.count), milliseconds)
        wakeEvent.clear()
    }
}

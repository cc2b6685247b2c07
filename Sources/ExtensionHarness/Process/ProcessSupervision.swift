/// iOS's supervision of an extension's process over all pushes. Events in, actions out; no clock, process or
/// descriptor.
///
/// A push is done when the extension has answered and the calls into it returned. When all are done the process is
/// suspended; only then do they finish: a second answer or a held lock must be seen. An expiring activity keeps the
/// process running.
struct ProcessSupervision {
    enum Event {
        case delivered(Int, Schedule)
        /// The device is short of time: this push's time is over.
        case hurried(Int)
        case reported(HostReport)
        /// The process sent a message that no host sends.
        case unreadable
        /// The process closed its channel, normally by its end, seen a moment later.
        case fellSilent
        case measured(byteCount: Int)
        case suspended(holdsLock: Bool)
        /// `isOutOfMemory` is from the kernel.
        case ended(ProcessEnd, isOutOfMemory: Bool)
        case tick
    }

    enum Action: Equatable {
        case callExpiry(Int)
        case expireActivities
        case change(Int, index: Int)
        case suspend
        case resume
        case kill
        case finish(Int, ExtensionOutcome)
    }

    /// Times of one push's events, counted from its delivery, in real time.
    struct Schedule {
        var expiries: [Duration]
        var end: Duration
        var changes: [Duration] = []
        /// Time that activities may keep the process after the last answer.
        var activity: Duration = .zero
    }

    fileprivate struct Delivery {
        var schedule: Schedule
        let start: Duration
        var outcome = ExtensionOutcome()
        var isExpired = false
        var runningCallCount = 1
        var lastReport: Duration
        var changeCount = 0
    }

    private enum Phase { case running, suspending, suspended, killed, ended }

    /// From answer to suspension, which is not immediate in iOS.
    static let linger: Duration = .milliseconds(10)
    /// Time that a call may stay in the extension after its answer. iOS does not wait for it.
    static let callLinger: Duration = .seconds(1)
    static let activityLinger: Duration = .seconds(1)
    /// More than an extension has in flight.
    static let activityCountMax = 1_000
    /// Lifetime of a process that closed its channel.
    static let silenceMax: Duration = .seconds(1)

    private let memoryByteCountMax: Int?
    private var phase = Phase.running
    /// In order of arrival.
    private var deliveries: [(number: Int, delivery: Delivery)] = []
    private var nextNumber = 0
    /// Reason for which the process was ended by force.
    private var sentence: Ending?
    private var silentSince: Duration?
    private var activityCount = 0
    /// Since then only activities keep the process running.
    private var restingSince: Duration?
    private var activityMax: Duration = .zero
    private var areActivitiesExpired = false
    private(set) var peakByteCount = 0
    private(set) var lateAnswerCount = 0
    /// Suspensions with a held lock after all pushes were finished.
    private(set) var lateLockCount = 0

    /// - Parameter memoryByteCountMax: Nil if the kernel enforces the limit.
    init(memoryByteCountMax: Int?) {
        self.memoryByteCountMax = memoryByteCountMax
    }

    var isOver: Bool { phase == .ended }

    /// True while the process is suspended, until the next push.
    var isIdle: Bool { phase == .suspended }

    /// True while the extension runs on after its last answer.
    var hasActivities: Bool { activityCount > 0 && (phase == .running || phase == .suspending) }

    mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        guard phase != .ended else { return [] }
        switch event {
        case .delivered(let number, let schedule): return deliver(number, schedule, now)
        case .hurried(let number): return hurry(number, now)
        // Reports after the kill do not count.
        case .reported where phase == .killed: return []
        case .reported(.answered(let number, let content)): return answer(number, content, now)
        case .reported(.returned(let number)): return endCall(number, now)
        // Without effect on the process.
        case .reported(.screen): return []
        case .reported(.activityBegan):
            activityCount += 1
            return activityCount > Self.activityCountMax ? kill(for: .hostFailed) : []
        case .reported(.activityEnded):
            activityCount -= 1
            return activityCount < 0 ? kill(for: .hostFailed) : []
        case .unreadable: return kill(for: .hostFailed)
        case .fellSilent:
            silentSince = silentSince ?? now
            return []
        case .measured(let byteCount): return measure(byteCount)
        case .suspended(let holdsLock): return suspend(holdsLock)
        case .ended(let end, let isOutOfMemory): return finishAll(end, isOutOfMemory)
        case .tick: return tick(now)
        }
    }

    private mutating func deliver(_ number: Int, _ schedule: Schedule, _ now: Duration) -> [Action] {
        // Concurrent pushes may overtake each other.
        nextNumber = max(nextNumber, number + 1)
        (restingSince, areActivitiesExpired) = (nil, false)
        activityMax = schedule.activity
        deliveries.append((number, Delivery(schedule: schedule, start: now, lastReport: now)))
        guard phase == .suspending || phase == .suspended else { return [] }
        phase = .running
        return [.resume]
    }

    private mutating func hurry(_ number: Int, _ now: Duration) -> [Action] {
        change(number) { delivery in
            let passed = now - delivery.start
            guard let first = delivery.schedule.expiries.first else {
                // No expiry call is left: already made, or never to be made.
                if !delivery.isExpired { delivery.schedule.end = passed }
                return
            }
            let saved = max(first - passed, .zero)
            delivery.schedule.expiries = delivery.schedule.expiries.map { $0 - saved }
            delivery.schedule.end -= saved
        }
        return tick(now)
    }

    private mutating func answer(_ number: Int, _ content: ShownContent, _ now: Duration) -> [Action] {
        guard (0..<nextNumber).contains(number) else { return kill(for: .hostFailed) }
        guard let index = deliveries.firstIndex(where: { $0.number == number }) else {
            lateAnswerCount += 1
            return kill(for: .terminatedForSecondAnswer)
        }
        deliveries[index].delivery.lastReport = now
        deliveries[index].delivery.outcome.handlerCallCount += 1
        guard deliveries[index].delivery.outcome.answer == nil else { return kill(for: .terminatedForSecondAnswer) }
        deliveries[index].delivery.outcome.answer = content
        deliveries[index].delivery.outcome.isAnsweredAfterExpiry = deliveries[index].delivery.isExpired
        return []
    }

    private mutating func endCall(_ number: Int, _ now: Duration) -> [Action] {
        // A call that outlasts its answer may return when the push is over.
        guard (0..<nextNumber).contains(number) else { return kill(for: .hostFailed) }
        guard let index = deliveries.firstIndex(where: { $0.number == number }) else { return [] }
        guard deliveries[index].delivery.runningCallCount > 0 else { return kill(for: .hostFailed) }
        deliveries[index].delivery.runningCallCount -= 1
        deliveries[index].delivery.lastReport = now
        return []
    }

    private mutating func measure(_ byteCount: Int) -> [Action] {
        peakByteCount = max(peakByteCount, byteCount)
        guard let memoryByteCountMax, byteCount > memoryByteCountMax else { return [] }
        return kill(for: .killedForMemory(peakByteCount: byteCount))
    }

    private mutating func suspend(_ holdsLock: Bool) -> [Action] {
        guard phase == .suspending else { return [] }
        phase = .suspended
        if holdsLock, deliveries.isEmpty { lateLockCount += 1 }
        let kill = holdsLock ? kill(for: .killedHoldingLock) : []
        return kill + finish(deliveries.map(\.number), holdsLock ? .killedHoldingLock : .returned)
    }

    private mutating func tick(_ now: Duration) -> [Action] {
        if let silentSince, now - silentSince >= Self.silenceMax { return kill(for: .hostFailed) }
        guard phase == .running else { return [] }
        var actions: [Action] = []
        for (number, _) in deliveries {
            change(number) { delivery in
                let passed = now - delivery.start
                while delivery.changeCount < delivery.schedule.changes.count,
                    delivery.schedule.changes[delivery.changeCount] <= passed
                {
                    actions.append(.change(number, index: delivery.changeCount))
                    delivery.changeCount += 1
                }
                guard delivery.outcome.answer == nil else { return }
                while let next = delivery.schedule.expiries.first, next <= passed {
                    delivery.schedule.expiries.removeFirst()
                    delivery.isExpired = true
                    delivery.runningCallCount += 1
                    actions.append(.callExpiry(number))
                }
            }
        }
        if deliveries.contains(where: { $0.delivery.isOverdue(now) }) { return actions + kill(for: .timedOut) }
        return actions + suspendOrFinish(now)
    }

    /// Keeps the process running while one push has work in it; finished ones do not wait.
    private mutating func suspendOrFinish(_ now: Duration) -> [Action] {
        let done = deliveries.filter { $0.delivery.isDone(now) }.map(\.number)
        guard !done.isEmpty || deliveries.isEmpty else { return [] }
        guard done.count == deliveries.count, activityCount == 0 else { return finish(done, .returned) + rest(now) }
        phase = .suspending
        return [.suspend]
    }

    private mutating func rest(_ now: Duration) -> [Action] {
        guard deliveries.isEmpty else { return [] }
        let since = restingSince ?? now
        restingSince = since
        if now - since >= activityMax + Self.activityLinger {
            phase = .suspending
            return [.suspend]
        }
        guard now - since >= activityMax, !areActivitiesExpired else { return [] }
        areActivitiesExpired = true
        return [.expireActivities]
    }

    private mutating func kill(for reason: Ending) -> [Action] {
        guard phase != .killed else { return [] }
        sentence = reason
        phase = .killed
        return [.kill]
    }

    private mutating func finishAll(_ end: ProcessEnd, _ isOutOfMemory: Bool) -> [Action] {
        phase = .ended
        let kernels: Ending = isOutOfMemory ? .killedForMemory(peakByteCount: peakByteCount) : end.ending
        return finish(deliveries.map(\.number), sentence ?? kernels)
    }

    private mutating func finish(_ numbers: [Int], _ ending: Ending) -> [Action] {
        let finished = deliveries.filter { numbers.contains($0.number) }
        deliveries.removeAll { numbers.contains($0.number) }
        return finished.map { number, delivery in
            var outcome = delivery.outcome
            outcome.ending = ending
            return .finish(number, outcome)
        }
    }

    private mutating func change(_ number: Int, _ change: (inout Delivery) -> Void) {
        guard let index = deliveries.firstIndex(where: { $0.number == number }) else { return }
        change(&deliveries[index].delivery)
    }
}

extension ProcessSupervision.Delivery {
    fileprivate func isOverdue(_ now: Duration) -> Bool {
        outcome.answer == nil && now - start >= schedule.end
    }

    fileprivate func isDone(_ now: Duration) -> Bool {
        guard outcome.answer != nil else { return false }
        let linger = runningCallCount > 0 ? ProcessSupervision.callLinger : ProcessSupervision.linger
        return now - lastReport >= linger
    }
}

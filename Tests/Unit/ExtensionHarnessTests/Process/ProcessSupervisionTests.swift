import Testing
import UserNotifications

@testable import ExtensionHarness

struct ProcessSupervisionTests {
    private var process = ProcessSupervision(memoryByteCountMax: 1_000)
    private static let schedule = ProcessSupervision.Schedule(expiries: [.seconds(30)], end: .seconds(35))
    private let answer = ShownContent(content(title: "A"))

    @Test mutating func `an answer is finished when the process is suspended, and not before`() {
        deliver(0)
        #expect(at(1, .reported(.answered(0, answer))) == [])
        #expect(at(1, .reported(.returned(0))) == [])
        #expect(at(1, .tick) == [])
        #expect(at(2, .tick) == [.suspend])
        #expect(at(2, .suspended(holdsLock: false)) == [.finish(0, outcome(answer))])
        #expect(process.isIdle)
    }

    private mutating func answeredWithActivity(_ activity: Duration = .seconds(10)) {
        var schedule = Self.schedule
        schedule.activity = activity
        _ = process.handle(.delivered(0, schedule), at: .zero)
        #expect(at(1, .reported(.activityBegan)) == [])
        _ = at(1, .reported(.answered(0, answer)))
        _ = at(1, .reported(.returned(0)))
    }

    @Test mutating func `no push waits for an expiring activity, which keeps the process running until its end`() {
        answeredWithActivity()
        #expect(at(2, .tick) == [.finish(0, outcome(answer))])
        #expect(process.hasActivities && !process.isIdle)
        #expect(at(11, .tick) == [])
        #expect(at(11, .reported(.activityEnded)) == [])
        #expect(at(11, .tick) == [.suspend])
        #expect(at(11, .suspended(holdsLock: false)) == [])
        #expect(process.isIdle && !process.hasActivities)
    }

    @Test mutating func `an activity is told when its time is over, and then the process is suspended`() {
        answeredWithActivity()
        _ = at(2, .tick)
        #expect(at(12, .tick) == [.expireActivities])
        #expect(at(12, .tick) == [])
        #expect(at(13, .tick) == [.suspend])
    }

    @Test mutating func `an activity that the system refuses is told at once`() {
        answeredWithActivity(.zero)
        #expect(at(2, .tick) == [.finish(0, outcome(answer)), .expireActivities])
    }

    @Test mutating func `a push that comes during an activity gives it new time`() {
        answeredWithActivity()
        _ = at(2, .tick)
        var schedule = Self.schedule
        schedule.activity = .seconds(10)
        #expect(at(11, .delivered(1, schedule)) == [])
        _ = at(12, .reported(.answered(1, answer)))
        _ = at(12, .reported(.returned(1)))
        #expect(at(13, .tick) == [.finish(1, outcome(answer))])
        #expect(at(22, .tick) == [])
        #expect(at(23, .tick) == [.expireActivities])
    }

    @Test mutating func `an activity that ends and never began is no word of a host`() {
        deliver(0)
        #expect(at(1, .reported(.activityEnded)) == [.kill])
    }

    @Test mutating func `a lock that is held when it is suspended ends the process, and the answer stands`() {
        answered(0)
        let finish = outcome(answer, .killedHoldingLock)
        #expect(at(3, .suspended(holdsLock: true)) == [.kill, .finish(0, finish)])
    }

    @Test mutating func `a lock that is held when an activity is over ends the process, and is counted`() {
        answeredWithActivity()
        _ = at(2, .tick)
        _ = at(3, .reported(.activityEnded))
        #expect(at(3, .tick) == [.suspend])
        #expect(process.lateLockCount == 0)
        #expect(at(3, .suspended(holdsLock: true)) == [.kill])
        #expect(process.lateLockCount == 1)
    }

    @Test mutating func `no answer is an expiry call, and then the end`() {
        deliver(0)
        #expect(at(29, .tick) == [])
        #expect(at(30, .tick) == [.callExpiry(0)])
        #expect(at(34, .tick) == [])
        #expect(at(35, .tick) == [.kill])
        #expect(at(36, .ended(.killed(signal: 9), isOutOfMemory: false)) == [.finish(0, outcome(nil, .timedOut, 0))])
    }

    @Test mutating func `an answer after the expiry call counts as one`() {
        deliver(0)
        _ = at(30, .tick)
        _ = at(31, .reported(.answered(0, answer)))
        _ = at(31, .reported(.returned(0)))
        _ = at(31, .reported(.returned(0)))
        #expect(at(32, .tick) == [.suspend])
        var expected = outcome(answer)
        expected.isAnsweredAfterExpiry = true
        #expect(at(32, .suspended(holdsLock: false)) == [.finish(0, expected)])
    }

    @Test mutating func `a second answer ends the process`() {
        deliver(0)
        _ = at(1, .reported(.answered(0, answer)))
        #expect(at(1, .reported(.answered(0, answer))) == [.kill])
        let finish = outcome(answer, .terminatedForSecondAnswer, 2)
        #expect(at(1, .ended(.killed(signal: 9), isOutOfMemory: false)) == [.finish(0, finish)])
    }

    @Test mutating func `an answer to a push that is over ends the process, and is counted`() {
        answered(0)
        _ = at(3, .suspended(holdsLock: false))
        #expect(process.lateAnswerCount == 0)
        #expect(at(4, .reported(.answered(0, answer))) == [.kill])
        #expect(process.lateAnswerCount == 1)
    }

    @Test mutating func `a call that stays after its answer is waited for, but not for ever`() {
        deliver(0)
        _ = at(1, .reported(.answered(0, answer)))
        #expect(process.handle(.tick, at: .milliseconds(1_900)) == [])
        #expect(at(2, .tick) == [.suspend])
    }

    @Test mutating func `too much memory ends the process, with the peak in its outcome`() {
        deliver(0)
        #expect(at(1, .measured(byteCount: 1_000)) == [])
        #expect(at(1, .measured(byteCount: 1_001)) == [.kill])
        let finish = outcome(nil, .killedForMemory(peakByteCount: 1_001), 0)
        #expect(at(1, .ended(.killed(signal: 9), isOutOfMemory: false)) == [.finish(0, finish)])
        #expect(process.peakByteCount == 1_001)
    }

    @Test mutating func `what the kernel ended for its memory did not crash`() {
        process = ProcessSupervision(memoryByteCountMax: nil)
        deliver(0)
        #expect(at(1, .measured(byteCount: 5_000)) == [])
        let finish = outcome(nil, .killedForMemory(peakByteCount: 5_000), 0)
        #expect(at(1, .ended(.killed(signal: 9), isOutOfMemory: true)) == [.finish(0, finish)])
    }

    @Test mutating func `a crash finishes every push that was under way`() {
        deliver(0)
        deliver(1)
        _ = at(1, .reported(.answered(1, answer)))
        let ended = at(2, .ended(.killed(signal: 11), isOutOfMemory: false))
        let crashed = Ending.crashed(signal: 11)
        #expect(ended == [.finish(0, outcome(nil, crashed, 0)), .finish(1, outcome(answer, crashed))])
        #expect(process.isOver)
    }

    @Test mutating func `a push that is done does not wait for another, and the process goes on`() {
        answered(0, with: 1)
        #expect(at(3, .tick) == [])
        #expect(at(30, .tick).contains(.callExpiry(1)))
    }

    @Test mutating func `pushes may overtake each other on their way in`() {
        deliver(1)
        deliver(0)
        _ = at(1, .reported(.answered(0, answer)))
        _ = at(1, .reported(.returned(0)))
        #expect(at(2, .tick) == [.finish(0, outcome(answer))])
    }

    @Test mutating func `a suspended process goes on with the next push`() {
        answered(0)
        _ = at(3, .suspended(holdsLock: false))
        #expect(at(9, .delivered(1, Self.schedule)) == [.resume])
        #expect(at(38, .tick) == [])
        #expect(at(39, .tick) == [.callExpiry(1)])
    }

    @Test mutating func `a push that comes while the process is being suspended is not lost`() {
        answered(0)
        #expect(at(2, .delivered(1, Self.schedule)) == [.resume])
        #expect(at(2, .suspended(holdsLock: true)) == [])
        #expect(at(3, .tick) == [.finish(0, outcome(answer))])
    }

    @Test mutating func `a hurry is an expiry at once, with the whole grace after it`() {
        deliver(0)
        #expect(at(3, .hurried(0)) == [.callExpiry(0)])
        #expect(at(7, .tick) == [])
        #expect(at(8, .tick) == [.kill])
    }

    @Test mutating func `changes come in their order, each once`() {
        let schedule = ProcessSupervision.Schedule(expiries: [], end: .seconds(9), changes: [.seconds(1), .seconds(2)])
        _ = at(0, .delivered(0, schedule))
        #expect(at(1, .tick) == [.change(0, index: 0)])
        #expect(at(1, .tick) == [])
        #expect(at(5, .tick) == [.change(0, index: 1)])
    }

    @Test(arguments: [HostReport.returned(7), .returned(-1), .answered(7, ShownContent(content())), .returned(.min)])
    func `a report on a push that never was ends the process`(_ report: HostReport) {
        var process = ProcessSupervision(memoryByteCountMax: nil)
        _ = process.handle(.delivered(0, Self.schedule), at: .zero)
        #expect(process.handle(.reported(report), at: .zero) == [.kill])
        let finish = outcome(nil, .hostFailed, 0)
        let end = process.handle(.ended(.killed(signal: 9), isOutOfMemory: false), at: .zero)
        #expect(end == [.finish(0, finish)])
    }

    @Test mutating func `more calls that return than there were end the process`() {
        deliver(0)
        #expect(at(1, .reported(.returned(0))) == [])
        #expect(at(1, .reported(.returned(0))) == [.kill])
    }

    @Test mutating func `nothing counts after the sentence`() {
        deliver(0)
        #expect(at(1, .unreadable) == [.kill])
        #expect(at(1, .reported(.answered(0, answer))) == [])
        #expect(at(1, .unreadable) == [])
        let finish = outcome(nil, .hostFailed, 0)
        #expect(at(1, .ended(.exited(status: 0), isOutOfMemory: false)) == [.finish(0, finish)])
        #expect(at(1, .tick) == [])
    }

    @Test mutating func `a process that falls silent has a moment to end by itself`() {
        deliver(0)
        #expect(at(1, .fellSilent) == [])
        #expect(process.handle(.tick, at: .milliseconds(1_999)) == [])
        #expect(at(2, .tick) == [.kill])
    }

    private mutating func at(_ seconds: Int, _ event: ProcessSupervision.Event) -> [ProcessSupervision.Action] {
        process.handle(event, at: .seconds(seconds))
    }

    private mutating func deliver(_ number: Int) {
        #expect(at(0, .delivered(number, Self.schedule)) == [])
    }

    /// Delivers one push, and perhaps another beside it, and answers the first.
    private mutating func answered(_ number: Int, with other: Int? = nil) {
        deliver(number)
        if let other { deliver(other) }
        _ = at(1, .reported(.answered(number, answer)))
        _ = at(1, .reported(.returned(number)))
        let expected: ProcessSupervision.Action = other == nil ? .suspend : .finish(number, outcome(answer))
        #expect(at(2, .tick) == [expected])
    }

    private func outcome(_ answer: ShownContent?, _ ending: Ending = .returned, _ callCount: Int = 1)
        -> ExtensionOutcome
    {
        ExtensionOutcome(answer: answer, handlerCallCount: callCount, ending: ending)
    }
}

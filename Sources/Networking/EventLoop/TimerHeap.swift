/// Scheduled call. Belongs to the loop's thread.
package final class LoopTimer {
    fileprivate(set) var deadline: MonotonicTime
    fileprivate(set) var action: (() -> Void)?
    fileprivate var heapIndex = -1
    private unowned let loop: EventLoop

    init(deadline: MonotonicTime, loop: EventLoop, action: @escaping () -> Void) {
        self.deadline = deadline
        self.loop = loop
        self.action = action
    }

    /// Releases the action. Harmless after it has run or was cancelled.
    package func cancel() {
        loop.cancel(self)
    }
}

/// Timers by deadline: a binary heap with positions, so that a cancelled timer leaves nothing.
struct TimerHeap {
    private var timers: [LoopTimer] = []

    private var earliest: MonotonicTime? { timers.first?.deadline }

    /// Time to the earliest deadline, for epoll_wait: -1 is for ever.
    func waitMilliseconds(at now: MonotonicTime) -> Int32 {
        guard let earliest else { return -1 }
        guard earliest > now else { return 0 }
        let (wait, overflow) = earliest.nanoseconds.subtractingReportingOverflow(now.nanoseconds)
        // Rounded up: waking a fraction of a millisecond early would spin.
        return overflow ? .max : Int32(clamping: (wait - 1) / 1_000_000 + 1)
    }

    mutating func insert(_ timer: LoopTimer) {
        timer.heapIndex = timers.count
        timers.append(timer)
        moveUp(from: timer.heapIndex)
    }

    mutating func remove(_ timer: LoopTimer) {
        let index = timer.heapIndex
        timer.action = nil
        guard index >= 0 else { return }
        timer.heapIndex = -1
        let last = timers.removeLast()
        guard last !== timer else { return }
        place(last, at: index)
        moveDown(from: index)
        moveUp(from: last.heapIndex)
    }

    mutating func popAction(at now: MonotonicTime) -> (() -> Void)? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        let action = first.action
        remove(first)
        return action
    }

    mutating func removeAll() {
        for timer in timers {
            timer.action = nil
            timer.heapIndex = -1
        }
        timers.removeAll()
    }

    private mutating func place(_ timer: LoopTimer, at index: Int) {
        timers[index] = timer
        timer.heapIndex = index
    }

    private mutating func moveUp(from start: Int) {
        var index = start
        let timer = timers[index]
        while index > 0 {
            let parent = (index - 1) / 2
            guard timer.deadline < timers[parent].deadline else { break }
            place(timers[parent], at: index)
            index = parent
        }
        place(timer, at: index)
    }

    private mutating func moveDown(from start: Int) {
        var index = start
        let timer = timers[index]
        while true {
            var child = 2 * index + 1
            guard child < timers.count else { break }
            if child + 1 < timers.count, timers[child + 1].deadline < timers[child].deadline { child += 1 }
            guard timers[child].deadline < timer.deadline else { break }
            place(timers[child], at: index)
            index = child
        }
        place(timer, at: index)
    }
}

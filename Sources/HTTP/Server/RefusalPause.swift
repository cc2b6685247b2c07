import Networking

/// Connection's pause for refusals; always ends. Lives on the server's loop.
final class RefusalPause {
    private var share = RefusalBudget.Share()
    private var end: MonotonicTime?
    private var timer: LoopTimer?

    var isHolding: Bool { end != nil }

    /// - Parameter resume: Called later, once, if `isHolding` became true.
    func didRefuse(_ service: HTTPService, resume: @escaping () -> Void) {
        let loop = service.loop
        service.refusals.measure(loop.usage, at: loop.now)
        guard let end = service.refusals.refuse(&share, at: loop.now) else { return }
        let isNew = self.end == nil
        self.end = end
        guard isNew else { return }
        service.refusals.didHold()
        wait(loop, until: end, resume)
    }

    private func wait(_ loop: EventLoop, until planned: MonotonicTime, _ resume: @escaping () -> Void) {
        timer = loop.schedule(after: planned - loop.now) { [weak self, unowned loop] in
            guard let self, let end else { return }
            timer = nil
            // The end has moved, to at most `holdMax` after the last bytes.
            guard end <= loop.now else { return wait(loop, until: end, resume) }
            self.end = nil
            resume()
        }
    }

    func cancel() {
        timer?.cancel()
        timer = nil
        end = nil
    }
}

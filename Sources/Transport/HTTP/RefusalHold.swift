/// One connection's wait for the refusals of its requests to be paid for. Whatever becomes of the connection, it has an end.
/// Lives on the server's loop.
final class RefusalHold {
    private var share = RefusalBudget.Share()
    private var end: MonotonicTime?
    private var timer: LoopTimer?

    /// Whether the connection is not to be read.
    var isHolding: Bool { end != nil }

    /// A request of the connection was answered with 429.
    ///
    /// - Parameters:
    ///   - service: the server's.
    ///   - resume: called later, once, where `isHolding` has become true: it is not any more then.
    func didRefuse(_ service: HTTPService, resume: @escaping () -> Void) {
        guard let end = service.refusals.refuse(&share, at: service.loop.now) else { return }
        let isNew = self.end == nil
        // What was begun in the same piece is refused, too, and paid for with it.
        self.end = end
        guard isNew else { return }
        service.refusals.didHold()
        wait(service.loop, until: end, resume)
    }

    private func wait(_ loop: EventLoop, until planned: MonotonicTime, _ resume: @escaping () -> Void) {
        timer = loop.schedule(after: planned - loop.now) { [weak self, unowned loop] in
            guard let self, let end else { return }
            timer = nil
            // The end has moved meanwhile, to no more than `holdMax` from when the last piece came.
            guard end <= loop.now else { return wait(loop, until: end, resume) }
            self.end = nil
            resume()
        }
    }

    /// The connection is over.
    func cancel() {
        timer?.cancel()
        timer = nil
        end = nil
    }
}

import Networking

/// Watchdog heartbeat: beats while the event loop and the store's threads respond.
package enum Heartbeat {
    /// - Parameter beat: called on the loop, which it must not block.
    package static func start(_ service: Service, every period: Duration, _ beat: @escaping @Sendable () -> Void) {
        let loop = service.context.loop
        loop.perform { ask(service, period, beat) }
    }

    private static func ask(_ service: Service, _ period: Duration, _ beat: @escaping @Sendable () -> Void) {
        let loop = service.context.loop
        // The next check follows this one; none follows the loop's end.
        Task(executorPreference: loop) {
            let isAnswering = await service.isAnswering()
            loop.perform {
                guard !loop.isStopping else { return }
                if isAnswering { beat() }
                loop.schedule(after: period) { ask(service, period, beat) }
            }
        }
    }
}

import Transport

/// Watchdog heartbeat: beats while the event loop and both threads of the store respond.
package enum Heartbeat {
    /// Starts with a beat at once, and ends with the service's loop.
    ///
    /// - Parameters:
    ///   - period: time from a beat to the next check.
    ///   - beat: called on the loop, which it must not block.
    package static func start(_ service: Service, every period: Duration, _ beat: @escaping @Sendable () -> Void) {
        let loop = service.context.loop
        loop.perform { ask(service, period, beat) }
    }

    private static func ask(_ service: Service, _ period: Duration, _ beat: @escaping @Sendable () -> Void) {
        let loop = service.context.loop
        // One check at a time: the next begins after its end, and none after the loop's.
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

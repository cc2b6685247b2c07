import Transport

/// Says again and again that the service does what it is asked, and falls silent when it does not: for a watchdog.
///
/// The question goes through the loop and through both threads of the store, so that whichever hangs ends the beats.
package enum Heartbeat {
    /// Begins, with a first beat at once, and ends with the service's loop.
    ///
    /// - Parameters:
    ///   - service: is asked.
    ///   - period: between a beat and the next question.
    ///   - beat: called on the loop, which it must not block.
    package static func start(_ service: Service, every period: Duration, _ beat: @escaping @Sendable () -> Void) {
        let loop = service.context.loop
        loop.perform { ask(service, period, beat) }
    }

    private static func ask(_ service: Service, _ period: Duration, _ beat: @escaping @Sendable () -> Void) {
        let loop = service.context.loop
        // One at a time: the next begins after its end, and none after the loop's.
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

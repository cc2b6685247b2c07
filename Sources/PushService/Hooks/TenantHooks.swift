import Transport

/// All that goes out to tenants' servers, as the service starts and ends it.
package final class TenantHooks: Sendable {
    package let hooks: HookRunner
    package let fallbacks: FallbackRunner
    private let sender: WebhookSender
    private let loop: EventLoop

    package init(_ context: ServiceContext, way: WebhookWay = WebhookWay()) {
        let sender = WebhookSender(loop: context.loop, clock: context.clock, way: way)
        let hooks = HookRunner(context, sender: sender)
        self.sender = sender
        self.hooks = hooks
        fallbacks = FallbackRunner(context, sender: sender) { hooks.ring() }
        loop = context.loop
    }

    /// Looks for what is due from before.
    package func start() {
        hooks.ring()
        fallbacks.ring()
    }

    /// Takes nothing more, lets what is being sent come to its end, and breaks off what has not by then.
    ///
    /// - Parameters:
    ///   - patience: with what is being sent.
    ///   - grace: with what was broken off: a look-up cannot be.
    package func drain(patience: Duration, grace: Duration = .seconds(1)) async {
        await hooks.close()
        await fallbacks.close()
        loop.perform { [loop, sender, hooks, fallbacks] in
            loop.schedule(after: patience) {
                hooks.assumeIsolated { $0.stop() }
                fallbacks.assumeIsolated { $0.stop() }
                sender.assumeIsolated { $0.stop() }
                loop.schedule(after: grace) {
                    hooks.assumeIsolated { $0.abandon() }
                    fallbacks.assumeIsolated { $0.abandon() }
                }
            }
        }
        await fallbacks.drained()
        await hooks.drained()
        await sender.stop()
    }
}

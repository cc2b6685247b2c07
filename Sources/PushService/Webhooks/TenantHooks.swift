import Networking

/// All calls to tenants' servers.
package final class TenantHooks: Sendable {
    package let hooks: HookRunner
    package let fallbacks: FallbackRunner
    private let sender: WebhookSender
    private let loop: EventLoop

    package init(_ context: ServiceContext, way: WebhookRoute = WebhookRoute()) {
        let sender = WebhookSender(loop: context.loop, clock: context.clock, way: way)
        let hooks = HookRunner(context, sender: sender)
        self.sender = sender
        self.hooks = hooks
        fallbacks = FallbackRunner(context, sender: sender) { hooks.wake() }
        loop = context.loop
    }

    /// Looks for work of earlier processes.
    package func start() {
        hooks.wake()
        fallbacks.wake()
    }

    /// Takes nothing more, waits for calls in flight, then cancels them.
    ///
    /// - Parameter grace: for cancelled calls: a DNS lookup cannot be cancelled.
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

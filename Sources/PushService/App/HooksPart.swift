import Networking

final class HooksPart: ServicePart {
    let name: StaticString = "hooks"
    /// Time for work that cannot be cancelled.
    private static let grace = Duration.milliseconds(200)
    private let hooks: TenantHooks

    init(_ hooks: TenantHooks) { self.hooks = hooks }

    func start() { hooks.start() }

    /// Each post reads settings and secret anew.
    func reload(_ next: LoadedConfiguration) { hooks.start() }

    func drain(until deadline: MonotonicTime) async {
        let left = max(.zero, deadline - .now())
        await hooks.drain(patience: max(.zero, left - Self.grace * 2), grace: Self.grace)
    }
}

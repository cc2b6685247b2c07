package import PushStore

/// What the API tells whoever sends and reports. On the loop.
package protocol DispatchDoor: AnyObject, Sendable {
    /// Something was stored in these lanes.
    func ring(_ lanes: Set<Lane>)

    /// Devices have said that they have these.
    func didReceive(_ entries: [OutboxEntry])

    /// A tenant is to be told something.
    func didReport()
}

/// Who is told that the store has something for tenants' servers.
package struct DispatchBells: Sendable {
    package let hooks: @Sendable () -> Void
    package let fallbacks: @Sendable () -> Void

    package init(
        hooks: @escaping @Sendable () -> Void = {},
        fallbacks: @escaping @Sendable () -> Void = {}
    ) {
        self.hooks = hooks
        self.fallbacks = fallbacks
    }
}

private import Platform

/// What stands behind `PKPushRegistry`: the phone that the app is installed on. Without one no push ever comes.
package protocol PushSystem: Sendable {
    /// The phone's token for calls.
    var voIPToken: Data { get }
    /// From now on pushes go to this registry's delegate.
    func register(_ registry: PKPushRegistry)
}

/// Where a registry finds its system.
package enum CurrentPushSystem {
    package static var current: (any PushSystem)? { SimulatedDevice.current?.system as? any PushSystem }
}

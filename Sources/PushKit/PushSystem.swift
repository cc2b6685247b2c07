private import Platform

/// The phone behind `PKPushRegistry`. Without one no push ever comes.
package protocol PushSystem: Sendable {
    /// The phone's VoIP token.
    var voIPToken: Data { get }
    /// Sends later pushes to this registry's delegate.
    func register(_ registry: PKPushRegistry)
}

/// A registry's current system.
package enum CurrentPushSystem {
    package static var current: (any PushSystem)? { SimulatedDevice.current?.system as? any PushSystem }
}

private import Platform

/// Phone behind `PKPushRegistry`. Without one no push ever comes.
package protocol PushSystem: Sendable {
    /// Phone's VoIP token.
    var voIPToken: Data { get }
    /// Sends later pushes to this registry's delegate.
    func register(_ registry: PKPushRegistry)
}

/// Registry's current system.
package enum CurrentPushSystem {
    package static var current: (any PushSystem)? { SimulatedDevice.current?.system as? any PushSystem }
}

private import Platform

/// What stands behind `CXProvider`: the phone that the app is installed on. Without one no call ever rings.
package protocol CallSystem: Sendable {
    /// - Returns: why there is no new call; nil where it rings.
    func reportNewIncomingCall(
        _ id: UUID,
        _ update: CXCallUpdate,
        _ provider: CXProvider
    ) -> CXErrorCodeIncomingCallError.Code?
    func reportCall(_ id: UUID, updated update: CXCallUpdate)
    func reportCall(_ id: UUID, ended reason: CXCallEndedReason)
}

/// Where a provider finds its system.
package enum CurrentCallSystem {
    package static var current: (any CallSystem)? { SimulatedDevice.current?.system as? any CallSystem }
}

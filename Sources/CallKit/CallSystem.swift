private import Platform

/// Phone behind `CXProvider`. Without one no call ever rings.
package protocol CallSystem: Sendable {
    /// - Returns: Reason why there is no new call; nil if it rings.
    func reportNewIncomingCall(
        _ id: UUID,
        _ update: CXCallUpdate,
        _ provider: CXProvider
    ) -> CXErrorCodeIncomingCallError.Code?
    func reportCall(_ id: UUID, updated update: CXCallUpdate)
    func reportCall(_ id: UUID, ended reason: CXCallEndedReason)
}

/// Provider's current system.
package enum CurrentCallSystem {
    package static var current: (any CallSystem)? { SimulatedDevice.current?.system as? any CallSystem }
}

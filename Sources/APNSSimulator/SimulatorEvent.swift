package import APNS
package import DeviceLink

/// What happened in the simulator; devices by our own number, never by token.
package enum SimulatorEvent: Sendable {
    /// A push passed every check and was answered 200. What became of it follows as `.delivery`.
    case accepted(ReceivedPush, device: Int)
    /// A push was refused.
    case rejected(Reason, ReceivedPush)
    /// A push was accepted, and something is to be said to it all the same. Follows `.accepted`.
    case lint(Lint, device: Int)
    /// A push passed every check, and this was done instead of answering and delivering it.
    case injected(InjectedFault, ReceivedPush, device: Int)
    case delivery(DeliveryEvent)
    /// A provider came, went, or was treated in a way of its own.
    case connection(ConnectionEvent)
    /// A delivery failed because the app is gone: once for each token, which is answered 410 from now on.
    case appIsGone(DeviceToken, bundleID: Topic, atMilliseconds: Int64)
    /// A device was not taken, or broke the rules of its link.
    case deviceFailed(DeviceLinkError)
    /// On a broadcast channel.
    case channel(ChannelEvent)
    /// On the binary interface or the feedback service.
    case legacy(LegacyEvent)

    /// Remarks on an accepted push. Worked out when asked for: reading a payload takes as long as the other checks.
    var lints: [SimulatorEvent] {
        guard case .accepted(let push, let device) = self else { return [] }
        return push.lints.map { .lint($0, device: device) }
    }
}

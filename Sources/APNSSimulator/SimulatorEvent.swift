package import APNS
package import DeviceLink

/// Devices appear by our number, never by token.
package enum SimulatorEvent: Sendable {
    /// Push answered 200. Its delivery follows as `.delivery`.
    case accepted(ReceivedPush, device: Int)
    case rejected(Reason, ReceivedPush)
    /// Remark on an accepted push. Follows `.accepted`.
    case lint(Lint, device: Int)
    /// Fault in place of the answer and delivery of a valid push.
    case injected(InjectedFault, ReceivedPush, device: Int)
    case delivery(DeliveryEvent)
    case connection(ConnectionEvent)
    /// Failed delivery, once for each token, which gets 410 from now on.
    case appIsGone(DeviceToken, bundleID: Topic, atMilliseconds: Int64)
    /// Refused device, or one that broke the link's rules.
    case deviceFailed(DeviceLinkError)
    case channel(ChannelEvent)
    /// Event of the gateway or the feedback service.
    case legacy(LegacyEvent)

    /// Remarks on an accepted push, on demand: parsing takes as long as the other checks.
    var lints: [SimulatorEvent] {
        guard case .accepted(let push, let device) = self else { return [] }
        return push.lints.map { .lint($0, device: device) }
    }
}

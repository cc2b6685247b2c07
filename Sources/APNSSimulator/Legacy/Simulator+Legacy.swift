package import APNS
import Transport

// What a test does to the binary interface, beside the notifications of a provider.
extension Simulator {
    /// Gives the next notification that passes its checks this status: what has no cause in the notification itself.
    package func refuseNextLegacyNotification(_ status: LegacyStatus) async {
        await core.loop.run { [core] in core.value.legacy.refuseNext(status) }
    }

    /// Ends every connection of the gateway as for maintenance, with status 10. It still listens.
    package func shutDownGatewayConnections() async {
        await core.loop.run { [core] in core.value.legacy.shutDown() }
    }

    /// Device tokens that the feedback service has to tell of.
    package func feedbackCount() async -> Int {
        await core.loop.run { [core] in core.value.legacy.feedback.count }
    }
}

package import APNS
import Networking

extension Simulator {
    package func refuseNextLegacyNotification(_ status: LegacyStatus) async {
        await core.loop.run { [core] in core.value.legacy.refuseNext(status) }
    }

    /// Sends status 10; the port stays open.
    package func shutDownGatewayConnections() async {
        await core.loop.run { [core] in core.value.legacy.shutDown() }
    }

    package func feedbackCount() async -> Int {
        await core.loop.run { [core] in core.value.legacy.feedback.count }
    }
}

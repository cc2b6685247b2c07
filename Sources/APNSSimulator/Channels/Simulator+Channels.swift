package import APNS
import Networking

extension Simulator {
    package func channels() async -> [ChannelSummary] {
        await core.loop.run { [core] in core.value.channels.directory.summaries(now: core.value.now) }
    }

    package func metrics(of channel: ChannelID, of app: Topic) async -> ChannelMetrics? {
        await core.loop.run { [core] in core.value.channels.directory.metrics(of: channel, of: app) }
    }

    package func channelMetrics(of app: Topic) async -> ChannelMetrics {
        await core.loop.run { [core] in core.value.channels.directory.metrics(of: app) }
    }

    /// Without the capability, all the app's channels are deleted.
    package func setBroadcastCapability(of app: Topic, isOn: Bool) async {
        await core.loop.run { [core] in core.value.channels.setCapability(of: app, isOn: isOn) }
    }

    package func refuseNextChannelRequest(_ reason: BroadcastReason) async {
        await core.loop.run { [core] in core.value.channels.refuseNext(reason) }
    }
}

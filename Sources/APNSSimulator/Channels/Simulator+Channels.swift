package import APNS
import Transport

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

    /// Sets the app's broadcast capability; without it, all its channels are deleted.
    package func setBroadcastCapability(of app: Topic, isOn: Bool) async {
        await core.loop.run { [core] in core.value.channels.setCapability(of: app, isOn: isOn) }
    }

    /// Refuses the next valid request about channels, for a reason that a request cannot cause.
    package func refuseNextChannelRequest(_ reason: BroadcastReason) async {
        await core.loop.run { [core] in core.value.channels.refuseNext(reason) }
    }
}

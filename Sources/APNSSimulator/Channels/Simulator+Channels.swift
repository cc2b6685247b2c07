package import APNS
import Transport

// What a test does to channels, beside the requests of a provider.
extension Simulator {
    /// Every channel, the oldest first.
    package func channels() async -> [ChannelSummary] {
        await core.loop.run { [core] in core.value.channels.directory.summaries(now: core.value.now) }
    }

    /// What was published on a channel and delivered; `nil` where there is none.
    package func metrics(of channel: ChannelID, of app: Topic) async -> ChannelMetrics? {
        await core.loop.run { [core] in core.value.channels.directory.metrics(of: channel, of: app) }
    }

    /// The same over all channels of an app.
    package func channelMetrics(of app: Topic) async -> ChannelMetrics {
        await core.loop.run { [core] in core.value.channels.directory.metrics(of: app) }
    }

    /// Gives the app the broadcast capability, or takes it and all its channels away.
    package func setBroadcastCapability(of app: Topic, isOn: Bool) async {
        await core.loop.run { [core] in core.value.channels.setCapability(of: app, isOn: isOn) }
    }

    /// Refuses the next good request about channels, for what only the service itself can be the cause of.
    package func refuseNextChannelRequest(_ reason: BroadcastReason) async {
        await core.loop.run { [core] in core.value.channels.refuseNext(reason) }
    }
}

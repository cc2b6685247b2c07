package import APNS
import DeviceLink

package struct ChannelSummary: Equatable, Sendable {
    package let number: Int
    package let app: Topic
    package let id: ChannelID
    package let policy: ChannelStoragePolicy
    package let metrics: ChannelMetrics
    /// Message and its end, in seconds since 1970.
    package let stored: Stored?

    package struct Stored: Equatable, Sendable {
        package let id: APNSID
        package let until: Int64
    }
}

extension ChannelDirectory {
    /// Channels, oldest first; messages expired by `now` (seconds since 1970) are left out.
    package func summaries(now: Int64) -> [ChannelSummary] {
        var summaries: [ChannelSummary] = []
        for (name, app) in apps {
            for (id, channel) in app.channels {
                let stored = channel.stored.flatMap { $0.until > now ? $0 : nil }
                summaries.append(
                    ChannelSummary(
                        number: channel.number,
                        app: name,
                        id: id,
                        policy: channel.policy,
                        metrics: metrics(of: id, of: name) ?? ChannelMetrics(),
                        stored: stored.map { ChannelSummary.Stored(id: $0.push.id, until: $0.until) }
                    )
                )
            }
        }
        return summaries.sorted { $0.number < $1.number }
    }
}

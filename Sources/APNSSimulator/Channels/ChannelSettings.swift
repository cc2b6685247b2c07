/// Rules that Apple leaves open, and limits that tests lower.
package struct ChannelSettings: Sendable {
    /// For one app.
    package var channelCountMax = 10_000
    package var appCountMax = 1000
    package var storageSecondsMax: Int64 = 8 * 3600
    /// For one device.
    package var subscriptionCountMax = 100
    /// To one channel; 0: no limit.
    package var broadcastsPerMinuteMax = 0
    package var isCapabilityOn = true
    package var needsExpiration = false
    package var checksEvent = true
    package var unstoredReplacesStored = true

    package init() {}
}

extension SimulatorSetting {
    static let channels: [SimulatorSetting] = [
        .number(
            "channels",
            \.channels.channelCountMax,
            in: 0...10_000,
            "the channels that an app may have before CannotCreateChannelConfig",
            source: "Apple: 10,000 for each app and environment"
        ),
        .number(
            "channel-apps",
            \.channels.appCountMax,
            in: 0...1_000_000,
            "the apps that may have channels before CannotCreateChannelConfig",
            source: "ours: a key of a whole team may name any app"
        ),
        .number(
            "channel-storage-seconds",
            \.channels.storageSecondsMax,
            in: 0...30 * 86_400,
            "the longest time for which a channel keeps its most recent message",
            source: "Apple: 8 hours"
        ),
        .number(
            "channel-subscriptions",
            \.channels.subscriptionCountMax,
            in: 0...10_000,
            "the channels that a device may listen to",
            source: "ours: Apple names no limit"
        ),
        .number(
            "broadcasts-per-minute",
            \.channels.broadcastsPerMinuteMax,
            in: 0...1_000_000,
            "the broadcasts that a channel takes in a minute before TooManyRequests; 0: any number",
            source: "ours: Apple documents the reason and not the rate"
        ),
        .flag(
            "broadcast-capability",
            \.channels.isCapabilityOn,
            "apps have the broadcast capability until it is taken from them",
            source: "ours: Apple has a switch for each app in the developer account"
        ),
        .flag(
            "broadcast-needs-expiration",
            \.channels.needsExpiration,
            "a broadcast without apns-expiration gets BadExpirationDate",
            source: "ours: Apple does not document its absence"
        ),
        .flag(
            "broadcast-event-check",
            \.channels.checksEvent,
            "a broadcast whose event is neither update nor end gets BadRequestPayload",
            source: "Apple for the rule, ours for the reason"
        ),
        .flag(
            "broadcast-unstored-replaces",
            \.channels.unstoredReplacesStored,
            "a broadcast that may not be stored takes the stored one away: older than the newest is out of date",
            source: "ours: Apple says that the most recent message is stored"
        ),
    ]
}

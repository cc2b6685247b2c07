package import APNS
package import DeviceLink

/// Channels of an environment, with subscribers and stored broadcasts. Events in, effects out; no socket, no clock.
///
/// - Source: "Sending channel management requests to APNs", "Setting up broadcast push notifications".
package struct ChannelDirectory {
    package typealias SubscriberID = Int

    package enum Effect: Equatable, Sendable {
        case send(DevicePush, SubscriberID)
        case happened(ChannelEvent)
    }

    struct Key: Hashable {
        let app: Topic
        let channel: ChannelID
    }

    struct Channel {
        /// Our number, from 1, which may be logged.
        let number: Int
        let policy: ChannelStoragePolicy
        var stored: Stored?
        var subscribers: Set<SubscriberID> = []
        var metrics = ChannelMetrics()
        /// Minute since 1970, and its number of broadcasts.
        var lastMinute = (minute: Int64(0), count: 0)
    }

    struct Stored {
        let push: DevicePush
        /// Exclusive end, in seconds since 1970.
        let until: Int64
    }

    struct App {
        var channels: [ChannelID: Channel] = [:]
        var publishedCount = 0
        var deliveredCount = 0
    }

    struct Subscriber {
        var isOnline = false
        /// Last acknowledged broadcast of each channel.
        var subscriptions: [Key: APNSID?] = [:]
        var unacknowledged: [(id: APNSID, key: Key)] = []
    }

    /// Above it a device counts as offline; with other pushes, below what it accepts at once.
    package static let unacknowledgedCountMax = 32

    var settings: ChannelSettings
    var apps: [Topic: App] = [:]
    var subscribers: [SubscriberID: Subscriber] = [:]
    private var capabilities: [Topic: Bool] = [:]
    private var lastNumber = 0

    package init(_ settings: ChannelSettings = ChannelSettings()) { self.settings = settings }

    /// - Parameter makeID: makes random ids, until one is new.
    /// - Throws: `.featureNotEnabled`, `.cannotCreateChannelConfiguration`.
    package mutating func create(
        of app: Topic,
        policy: ChannelStoragePolicy,
        makeID: () -> ChannelID
    ) throws(ChannelError) -> (id: ChannelID, effects: [Effect]) {
        try checkCapability(of: app)
        let isRoom = apps[app].map { $0.channels.count < settings.channelCountMax }
        guard isRoom ?? (apps.count < settings.appCountMax && settings.channelCountMax > 0) else {
            throw ChannelError(.cannotCreateChannelConfiguration)
        }
        var id = makeID()
        while apps.values.contains(where: { $0.channels[id] != nil }) { id = makeID() }
        lastNumber += 1
        apps[app, default: App()].channels[id] = Channel(number: lastNumber, policy: policy)
        return (id, [.happened(.created(channel: lastNumber))])
    }

    /// - Throws: `.featureNotEnabled`, `.channelNotRegistered`.
    package func policy(of channel: ChannelID, of app: Topic) throws(ChannelError) -> ChannelStoragePolicy {
        try checkCapability(of: app)
        guard let found = apps[app]?.channels[channel] else { throw ChannelError(.channelNotRegistered) }
        return found.policy
    }

    /// App's channels, oldest first.
    ///
    /// - Throws: `.featureNotEnabled`.
    package func list(of app: Topic) throws(ChannelError) -> [ChannelID] {
        try checkCapability(of: app)
        return (apps[app]?.channels ?? [:]).sorted { $0.value.number < $1.value.number }.map(\.key)
    }

    /// Deletes a channel and its stored broadcast.
    ///
    /// - Throws: `.featureNotEnabled`, `.channelNotRegistered`.
    package mutating func delete(_ channel: ChannelID, of app: Topic) throws(ChannelError) -> [Effect] {
        _ = try policy(of: channel, of: app)
        return remove(Key(app: app, channel: channel))
    }

    package mutating func setCapability(of app: Topic, isOn: Bool) -> [Effect] {
        capabilities[app] = isOn
        guard !isOn, let gone = apps[app] else { return [] }
        var effects: [Effect] = []
        for (id, _) in gone.channels.sorted(by: { $0.value.number < $1.value.number }) {
            effects += remove(Key(app: app, channel: id))
        }
        apps[app] = nil
        return effects
    }

    func checkCapability(of app: Topic) throws(ChannelError) {
        guard capabilities[app] ?? settings.isCapabilityOn else { throw ChannelError(.featureNotEnabled) }
    }

    private mutating func remove(_ key: Key) -> [Effect] {
        guard let gone = apps[key.app]?.channels.removeValue(forKey: key.channel) else { return [] }
        for id in gone.subscribers { subscribers[id]?.subscriptions[key] = nil }
        return [.happened(.deleted(channel: gone.number))]
    }

    package func metrics(of channel: ChannelID, of app: Topic) -> ChannelMetrics? {
        guard let channel = apps[app]?.channels[channel] else { return nil }
        var metrics = channel.metrics
        metrics.subscriptionCount = channel.subscribers.count
        metrics.subscriberCount = channel.subscribers.count
        return metrics
    }

    /// Counts include deleted channels.
    package func metrics(of app: Topic) -> ChannelMetrics {
        var metrics = ChannelMetrics()
        guard let app = apps[app] else { return metrics }
        metrics.publishedCount = app.publishedCount
        metrics.deliveredCount = app.deliveredCount
        metrics.subscriptionCount = app.channels.values.reduce(0) { $0 + $1.subscribers.count }
        metrics.subscriberCount =
            app.channels.values.reduce(into: Set<SubscriberID>()) {
                $0.formUnion($1.subscribers)
            }.count
        return metrics
    }
}

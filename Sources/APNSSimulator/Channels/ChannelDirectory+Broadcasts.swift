package import APNS
package import DeviceLink

extension ChannelDirectory {

    /// Connects a device, and sends it stored broadcasts that are new to it.
    package mutating func connect(_ subscriber: SubscriberID, now: Int64) -> [Effect] {
        subscribers[subscriber, default: Subscriber()].isOnline = true
        subscribers[subscriber]?.unacknowledged = []
        return deliverStored(to: subscriber, now: now)
    }

    package mutating func disconnect(_ subscriber: SubscriberID) {
        guard let known = subscribers[subscriber] else { return }
        guard !known.subscriptions.isEmpty else { return subscribers[subscriber] = nil }
        subscribers[subscriber]?.isOnline = false
        subscribers[subscriber]?.unacknowledged = []
    }

    package mutating func subscribe(
        _ subscriber: SubscriberID,
        to channel: ChannelID,
        of app: Topic,
        now: Int64
    ) -> (answer: DeviceFrame.Subscription, effects: [Effect]) {
        let key = Key(app: app, channel: channel)
        guard let found = apps[app]?.channels[channel], let known = subscribers[subscriber] else {
            return (.channelUnknown, [])
        }
        guard known.subscriptions[key] == nil else { return (.active, []) }
        guard known.subscriptions.count < settings.subscriptionCountMax else { return (.tooMany, []) }
        subscribers[subscriber]?.subscriptions[key] = .some(nil)
        apps[app]?.channels[channel]?.subscribers.insert(subscriber)
        let effects: [Effect] = [.happened(.subscribed(channel: found.number, device: subscriber))]
        return (.active, effects + deliverStored(to: subscriber, now: now))
    }

    package mutating func unsubscribe(
        _ subscriber: SubscriberID,
        from channel: ChannelID,
        of app: Topic
    ) -> [Effect] {
        let key = Key(app: app, channel: channel)
        guard subscribers[subscriber]?.subscriptions.removeValue(forKey: key) != nil else { return [] }
        apps[app]?.channels[channel]?.subscribers.remove(subscriber)
        if subscribers[subscriber]?.isOnline == false { disconnect(subscriber) }
        let number = apps[app]?.channels[channel]?.number ?? 0
        return [.happened(.unsubscribed(channel: number, device: subscriber))]
    }

    package mutating func unsubscribe(_ subscriber: SubscriberID, fromAllOf app: Topic) -> [Effect] {
        let keys = (subscribers[subscriber]?.subscriptions ?? [:]).keys.filter { $0.app == app }
        let sorted = keys.sorted { number($0) < number($1) }
        return sorted.flatMap { unsubscribe(subscriber, from: $0.channel, of: app) }
    }

    /// Counts a broadcast, and admits it within the channel's rate.
    package mutating func admit(_ channel: ChannelID, of app: Topic, now: Int64) -> Bool {
        guard settings.broadcastsPerMinuteMax > 0, let last = apps[app]?.channels[channel]?.lastMinute else {
            return true
        }
        let minute = now / 60
        let count = last.minute == minute ? last.count : 0
        guard count < settings.broadcastsPerMinuteMax else { return false }
        apps[app]?.channels[channel]?.lastMinute = (minute, count + 1)
        return true
    }

    /// - Parameter now: seconds since 1970.
    package mutating func publish(
        _ push: DevicePush,
        on channel: ChannelID,
        of app: Topic,
        now: Int64
    ) -> [Effect] {
        guard let found = apps[app]?.channels[channel] else { return [] }
        let key = Key(app: app, channel: channel)
        apps[app]?.publishedCount += 1
        apps[app]?.channels[channel]?.metrics.publishedCount += 1
        var sent: [Effect] = []
        for subscriber in found.subscribers.sorted() where send(push, of: key, to: subscriber) {
            sent.append(.send(push, subscriber))
        }
        let event = ChannelEvent.published(push.id, channel: found.number, deviceCount: sent.count)
        return [.happened(event)] + store(push, of: key, now: now) + sent
    }

    package mutating func acknowledge(_ id: APNSID, from subscriber: SubscriberID, now: Int64) -> [Effect] {
        guard let known = subscribers[subscriber],
            let index = known.unacknowledged.firstIndex(where: { $0.id == id })
        else { return [] }
        let key = known.unacknowledged[index].key
        subscribers[subscriber]?.unacknowledged.remove(at: index)
        if subscribers[subscriber]?.subscriptions[key] != nil {
            subscribers[subscriber]?.subscriptions[key] = .some(id)
        }
        apps[key.app]?.deliveredCount += 1
        apps[key.app]?.channels[key.channel]?.metrics.deliveredCount += 1
        let event = Effect.happened(.delivered(id, channel: number(key), device: subscriber))
        // Only a device at its limit can have missed one while online.
        guard known.unacknowledged.count == Self.unacknowledgedCountMax else { return [event] }
        return [event] + deliverStored(to: subscriber, now: now)
    }

    private mutating func store(_ push: DevicePush, of key: Key, now: Int64) -> [Effect] {
        guard let channel = apps[key.app]?.channels[key.channel], channel.policy == .mostRecent else { return [] }
        let latest = now + settings.storageSecondsMax
        let until = min(latest, Int64(clamping: push.expiration?.unixSeconds ?? .max))
        guard until > now else {
            if settings.unstoredReplacesStored { apps[key.app]?.channels[key.channel]?.stored = nil }
            return []
        }
        apps[key.app]?.channels[key.channel]?.stored = Stored(push: push, until: until)
        return [.happened(.stored(push.id, channel: channel.number))]
    }

    private mutating func deliverStored(to subscriber: SubscriberID, now: Int64) -> [Effect] {
        guard let known = subscribers[subscriber], known.isOnline else { return [] }
        var effects: [Effect] = []
        for (key, had) in known.subscriptions.sorted(by: { number($0.key) < number($1.key) }) {
            guard let stored = apps[key.app]?.channels[key.channel]?.stored else { continue }
            guard stored.until > now else {
                apps[key.app]?.channels[key.channel]?.stored = nil
                continue
            }
            let isOnItsWay = known.unacknowledged.contains { $0.id == stored.push.id }
            guard had != stored.push.id, !isOnItsWay, send(stored.push, of: key, to: subscriber) else { continue }
            effects.append(.send(stored.push, subscriber))
        }
        return effects
    }

    /// - Returns: false if it is offline or busy.
    private mutating func send(_ push: DevicePush, of key: Key, to subscriber: SubscriberID) -> Bool {
        guard let known = subscribers[subscriber], known.isOnline,
            known.unacknowledged.count < Self.unacknowledgedCountMax
        else { return false }
        subscribers[subscriber]?.unacknowledged.append((push.id, key))
        return true
    }

    private func number(_ key: Key) -> Int { apps[key.app]?.channels[key.channel]?.number ?? 0 }
}

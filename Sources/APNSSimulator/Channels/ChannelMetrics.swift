/// What Apple's console counts for a channel, or for all channels of an app. From the simulator's start, not for weeks.
///
/// - Source: "Viewing the status of push notifications using Metrics and APNs", on broadcasts.
package struct ChannelMetrics: Equatable, Sendable {
    /// Broadcasts that were accepted.
    package internal(set) var publishedCount = 0
    /// Acknowledgements of devices: a broadcast counts once for each.
    package internal(set) var deliveredCount = 0
    /// Subscriptions that there are now.
    package internal(set) var subscriptionCount = 0
    /// Devices that have one of them.
    package internal(set) var subscriberCount = 0
}

/// Counts of Apple's console for a channel or an app's channels, since the simulator's start.
///
/// - Source: "Viewing the status of push notifications using Metrics and APNs", on broadcasts.
package struct ChannelMetrics: Equatable, Sendable {
    package internal(set) var publishedCount = 0
    /// Acknowledgements, by device and broadcast.
    package internal(set) var deliveredCount = 0
    package internal(set) var subscriptionCount = 0
    package internal(set) var subscriberCount = 0
}

package import APNS

/// Whose app was not there when a push was to be delivered, by app. Reading empties it.
///
/// Only a delivery that failed puts a device here: not a push that expired, and not the app's going by itself.
///
/// - Source: archived "Local and Remote Notification Programming Guide", "The Feedback Service".
package struct FeedbackList {
    private struct App {
        var times: [DeviceToken: UInt32] = [:]
        /// The oldest first.
        var order: [DeviceToken] = []
        /// In `order`: what was read before it is only not taken away yet.
        var start = 0
    }

    /// The largest `count`. A smaller one takes no entry away.
    var countMax: Int
    private var apps: [Topic: App] = [:]
    /// Device tokens, over all apps.
    package private(set) var count = 0

    package init(countMax: Int = .max) { self.countMax = countMax }

    /// A delivery failed.
    ///
    /// - Parameters:
    ///   - token: of which device; one that is there already keeps its place and gets the new time.
    ///   - topic: of which app.
    ///   - seconds: since 1970: when that was found.
    /// - Returns: false when the list is full.
    @discardableResult
    package mutating func add(_ token: DeviceToken, _ topic: Topic, at seconds: Int64) -> Bool {
        let time = UInt32(clamping: seconds)
        if apps[topic]?.times[token] != nil {
            apps[topic]?.times[token] = time
            return true
        }
        guard count < countMax else { return false }
        apps[topic, default: App()].times[token] = time
        apps[topic]?.order.append(token)
        count += 1
        return true
    }

    /// The oldest entries of an app, which the list forgets.
    ///
    /// - Parameters:
    ///   - topic: of which app.
    ///   - countMax: how many at most.
    /// - Returns: none when there are no more.
    package mutating func drain(_ topic: Topic, countMax: Int = .max) -> [FeedbackTuple] {
        guard let app = apps[topic] else { return [] }
        let end = app.start + min(countMax, app.order.count - app.start)
        var tuples: [FeedbackTuple] = []
        tuples.reserveCapacity(end - app.start)
        for token in app.order[app.start..<end] {
            tuples.append(FeedbackTuple(time: app.times[token] ?? 0, deviceToken: token))
        }
        count -= tuples.count
        guard end < app.order.count else {
            apps[topic] = nil
            return tuples
        }
        apps[topic]?.start = end
        for tuple in tuples { apps[topic]?.times[tuple.deviceToken] = nil }
        return tuples
    }
}

package import APNS

/// Devices by app whose delivery failed because the app was gone. Reading an entry removes it.
///
/// Neither expired pushes nor a mere removal add one.
///
/// - Source: archived "Local and Remote Notification Programming Guide", "The Feedback Service".
package struct FeedbackList {
    private struct App {
        var times: [DeviceToken: UInt32] = [:]
        /// Oldest first.
        var order: [DeviceToken] = []
        /// Index in `order` of the first unread entry.
        var start = 0
    }

    /// Maximum of `count`; a lower one removes no entry.
    var countMax: Int
    private var apps: [Topic: App] = [:]
    /// Tokens of all apps.
    package private(set) var count = 0

    package init(countMax: Int = .max) { self.countMax = countMax }

    /// Adds a failed delivery, or gives an entry the new time.
    ///
    /// - Parameter seconds: since 1970.
    /// - Returns: false if the list is full.
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

    /// Removes an app's oldest entries.
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

package import APNS
package import PushStore

/// Tells a device that is gone from an app whose tokens go to the wrong environment.
///
/// BadDeviceToken says neither which. One token that fails is that token's fault; when many tokens of one app and
/// environment fail within an hour, and they are a good part of what was answered, it is the environment's, and deleting
/// would lose every device of the app. So a token that fails is set aside, never deleted: it comes back with the next token
/// that the app registers.
///
/// A value: the store keeps which devices are set aside and since when; here are only counts, for configured apps.
package struct TokenQuarantine: Sendable {
    package struct Place: Hashable, Sendable {
        /// Whose devices they are: two tenants may have one app.
        package let tenant: TenantID
        /// The app's, a configured one.
        package let bundleID: String
        package let environment: APNSEnvironment
        /// Of tokens that APNs had taken before. They are judged apart, so that tokens that somebody made up are no doubt of
        /// theirs.
        package let isReached: Bool

        package init(tenant: TenantID, bundleID: String, environment: APNSEnvironment, isReached: Bool = false) {
            self.tenant = tenant
            self.bundleID = bundleID
            self.environment = environment
            self.isReached = isReached
        }

        /// Few share a bundle id, and every answer is looked up.
        package func hash(into hasher: inout Hasher) { hasher.combine(bundleID) }
    }

    /// What is counted together.
    package static let windowMilliseconds: Int64 = 3_600_000
    /// Fewer failures than this are single tokens.
    package static let failureCountMin = 20
    /// Of all answers, at least one in so many.
    package static let answersPerFailureMax = 5

    private static let slotCount: Int64 = 12
    private static let slotMilliseconds = windowMilliseconds / slotCount

    private struct Window {
        /// By the slot of time, modulo `slotCount`.
        var slots = [(number: Int64, answers: Int, failures: Int)](repeating: (-1, 0, 0), count: 12)
        /// Kept until somebody says that it is mended.
        var isSuspected = false

        /// - Returns: whether this answer makes it suspected.
        mutating func didAnswer(isFailure: Bool, now: Int64) -> Bool {
            let number = max(0, now) / slotMilliseconds
            let index = Int(number % slotCount)
            if slots[index].number != number { slots[index] = (number, 0, 0) }
            slots[index].answers += 1
            guard isFailure else { return false }
            slots[index].failures += 1
            guard !isSuspected else { return false }
            let live = slots.filter { $0.number > number - slotCount && $0.number <= number }
            let failures = live.reduce(0) { $0 + $1.failures }
            let answers = live.reduce(0) { $0 + $1.answers }
            isSuspected = failures >= failureCountMin && failures * answersPerFailureMax >= answers
            return isSuspected
        }
    }

    private var windows: [Place: Window] = [:]

    package init() {}

    /// An answer about a token: a BadDeviceToken, or one that shows the token to be good. Each token fails once: it is set
    /// aside then.
    ///
    /// - Parameters:
    ///   - place: the app and environment.
    ///   - isFailure: BadDeviceToken.
    ///   - now: milliseconds since 1970.
    /// - Returns: true when this answer makes the environment suspected: time for an alarm.
    package mutating func didAnswer(at place: Place, isFailure: Bool, now: Int64) -> Bool {
        windows[place, default: Window()].didAnswer(isFailure: isFailure, now: now)
    }

    package func isSuspected(_ place: Place) -> Bool { windows[place]?.isSuspected ?? false }

    /// Somebody has mended it: counting begins anew.
    package mutating func clear(_ place: Place) { windows[place] = nil }
}

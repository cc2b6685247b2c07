package import APNS
package import Envelope
package import PushStore

/// Tells a deleted device from an app whose tokens go to the wrong environment: both give BadDeviceToken.
///
/// If many of an app's tokens fail within an hour, and a fifth of all answers, the environment is at fault: deleting
/// would lose every device. The store sets failing tokens aside until the app registers its next ones.
package struct TokenQuarantine: Sendable {
    package struct Place: Hashable, Sendable {
        /// Two tenants may have one app.
        package let tenant: TenantID
        /// Configured one.
        package let bundleID: BundleID
        package let environment: APNSEnvironment
        /// True for tokens that APNs accepted before, so that invented tokens cast no doubt on them.
        package let isReached: Bool

        package init(tenant: TenantID, bundleID: BundleID, environment: APNSEnvironment, isReached: Bool = false) {
            self.tenant = tenant
            self.bundleID = bundleID
            self.environment = environment
            self.isReached = isReached
        }
    }

    package static let windowMilliseconds: Int64 = 3_600_000
    /// Fewer failures are single tokens' faults.
    package static let failureCountMin = 20
    /// At least one answer in this many must be a failure.
    package static let answersPerFailureMax = 5

    private static let slotCount: Int64 = 12
    private static let slotMilliseconds = windowMilliseconds / slotCount

    private struct Window {
        /// By slot of time, modulo `slotCount`.
        var slots = [(number: Int64, answers: Int, failures: Int)](repeating: (-1, 0, 0), count: 12)
        /// Kept until `clear`.
        var isSuspected = false

        /// - Returns: true if this answer makes it suspected.
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

    /// Counts BadDeviceToken, or an answer that proves a token good. Each token fails once, as it is then set aside.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: true if this makes the environment suspected.
    package mutating func didAnswer(at place: Place, isFailure: Bool, now: Int64) -> Bool {
        windows[place, default: Window()].didAnswer(isFailure: isFailure, now: now)
    }

    package func isSuspected(_ place: Place) -> Bool { windows[place]?.isSuspected ?? false }

    package mutating func clear(_ place: Place) { windows[place] = nil }
}

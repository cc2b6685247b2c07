import APNS

/// Which credentials are not believed, and how each comes back: somebody reloads the configuration, or after a while
/// one push is let through to see.
///
/// A refusal of the credential stops all that goes with it; TopicDisallowed stops one app; an environment that is suspected
/// one app of one tenant, whose devices they are. What is stopped is parked and costs Apple nothing.
struct SuspensionBook: Sendable {
    struct Scope: Hashable, Sendable {
        /// Which client.
        let lane: Int
        /// One app of it; nil: all.
        let bundleID: String?
        /// Whose; nil: of all tenants that have it.
        var tenant: String?
    }

    /// After so long one push is let through: nanoseconds.
    static let probeNanoseconds: Int64 = 900 * 1_000_000_000

    private struct Suspension {
        let reason: Reason
        var probeAt: Int64
        /// One push is on its way to see; nil: none may be yet.
        var isProbing: Bool?
    }

    private var suspensions: [Scope: Suspension] = [:]

    /// With each its reason.
    var all: [(scope: Scope, reason: Reason)] { suspensions.map { ($0.key, $0.value.reason) } }

    /// When the next probe may go; nil: nothing is suspended.
    var nextProbe: Int64? { suspensions.values.filter { $0.isProbing == nil }.map(\.probeAt).min() }

    /// - Parameters:
    ///   - scope: what is refused.
    ///   - reason: as APNs gave it.
    ///   - now: nanoseconds of the monotonic clock.
    /// - Returns: whether it is news: a probe that failed, or a push that was out already, is none.
    mutating func suspend(_ scope: Scope, _ reason: Reason, now: Int64) -> Bool {
        let isNews = suspensions[scope] == nil
        suspensions[scope] = Suspension(reason: reason, probeAt: now &+ Self.probeNanoseconds)
        return isNews
    }

    var isEmpty: Bool { suspensions.isEmpty }

    /// Whether this is stopped. Nothing changes: also where one push may go to see.
    func stops(lane: Int, bundleID: String, tenant: String) -> Bool { !scopes(lane, bundleID, tenant).isEmpty }

    /// Whether a push may go. True for one of them when it is time to see.
    mutating func admits(lane: Int, bundleID: String, tenant: String) -> Bool {
        let scopes = scopes(lane, bundleID, tenant)
        guard scopes.allSatisfy({ suspensions[$0]?.isProbing == false }) else { return false }
        for scope in scopes { suspensions[scope]?.isProbing = true }
        return true
    }

    /// An answer that only a credential gets that is believed.
    ///
    /// - Returns: what it brought back.
    mutating func didPass(lane: Int, bundleID: String, tenant: String) -> [Scope] {
        let back = scopes(lane, bundleID, tenant).filter { suspensions[$0]?.isProbing != nil }
        for scope in back { suspensions[scope] = nil }
        return back
    }

    /// A push that was let through brought no answer: the next one may.
    mutating func didLearnNothing(lane: Int, bundleID: String, tenant: String) {
        for scope in scopes(lane, bundleID, tenant) where suspensions[scope]?.isProbing == true {
            suspensions[scope]?.isProbing = false
        }
    }

    /// - Parameter now: nanoseconds of the monotonic clock.
    /// - Returns: those of which one push may be let through from now on; each once.
    mutating func takeDue(now: Int64) -> [Scope] {
        let due = suspensions.filter { $0.value.isProbing == nil && $0.value.probeAt <= now }.map(\.key)
        for scope in due { suspensions[scope]?.isProbing = false }
        return due
    }

    /// Somebody has mended it, or says so.
    mutating func clear() { suspensions = [:] }

    private func scopes(_ lane: Int, _ bundleID: String, _ tenant: String) -> [Scope] {
        guard !suspensions.isEmpty else { return [] }
        return [
            Scope(lane: lane, bundleID: nil), Scope(lane: lane, bundleID: bundleID),
            Scope(lane: lane, bundleID: bundleID, tenant: tenant),
        ].filter { suspensions[$0] != nil }
    }
}

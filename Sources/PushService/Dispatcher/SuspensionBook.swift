import APNS
import PushStore

/// Which credentials are not believed, and how each comes back: somebody reloads the configuration, or after a while
/// one push is let through to see.
///
/// A refusal of the credential stops all that goes with it; TopicDisallowed stops one app; an environment that is suspected
/// one app of one tenant, whose devices they are, and of them those that APNs never took, where it is those that it refuses.
/// What is stopped is parked and costs Apple nothing.
struct SuspensionBook: Sendable {
    struct Scope: Hashable, Sendable {
        /// Which client.
        let lane: Int
        /// One app of it; nil: all.
        let bundleID: String?
        /// Whose; nil: of all tenants that have it.
        var tenant: TenantID?
        /// Only what is for tokens that APNs never took.
        var isOfUnreached = false
    }

    /// One push, as suspensions see it.
    struct Target {
        let lane: Int
        let bundleID: String
        let tenant: TenantID
        /// APNs has taken its token before.
        var isReached = false
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

    /// Whether something of a client is stopped.
    func contains(lane: Int) -> Bool { suspensions.keys.contains { $0.lane == lane } }

    /// Whether this is stopped. Nothing changes: also where one push may go to see.
    func stops(_ target: Target) -> Bool { !scopes(target).isEmpty }

    /// Whether a push may go. True for one of them when it is time to see.
    mutating func admits(_ target: Target) -> Bool {
        let scopes = scopes(target)
        guard scopes.allSatisfy({ suspensions[$0]?.isProbing == false }) else { return false }
        for scope in scopes { suspensions[scope]?.isProbing = true }
        return true
    }

    /// Whether a push that was admitted may still go. False: it was stopped since.
    func stillAdmits(_ target: Target) -> Bool {
        scopes(target).allSatisfy { suspensions[$0]?.isProbing == true }
    }

    /// An answer that only a credential gets that is believed.
    ///
    /// - Returns: what it brought back.
    mutating func didPass(_ target: Target) -> [Scope] {
        let back = scopes(target).filter { suspensions[$0]?.isProbing != nil }
        for scope in back { suspensions[scope] = nil }
        return back
    }

    /// A push that was let through brought no answer: the next one may.
    mutating func didLearnNothing(_ target: Target) {
        for scope in scopes(target) where suspensions[scope]?.isProbing == true {
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

    private func scopes(_ target: Target) -> [Scope] {
        guard !suspensions.isEmpty else { return [] }
        var scopes = [
            Scope(lane: target.lane, bundleID: nil), Scope(lane: target.lane, bundleID: target.bundleID),
            Scope(lane: target.lane, bundleID: target.bundleID, tenant: target.tenant),
        ]
        if !target.isReached {
            scopes.append(
                Scope(lane: target.lane, bundleID: target.bundleID, tenant: target.tenant, isOfUnreached: true)
            )
        }
        return scopes.filter { suspensions[$0] != nil }
    }
}

import APNS
import Envelope
import PushStore

/// Suspended credentials, until a reload or a successful probe.
///
/// A refused credential stops all its pushes, TopicDisallowed one app, a suspected environment one tenant's app, or its
/// tokens that APNs never accepted. Stopped pushes are parked.
struct SuspensionTable: Sendable {
    struct Scope: Hashable, Sendable {
        let lane: Int
        /// nil: all apps.
        let bundleID: BundleID?
        /// nil: all tenants.
        var tenant: TenantID?
        /// True: only tokens that APNs never accepted.
        var isOfUnreached = false
    }

    struct Target {
        let lane: Int
        let bundleID: BundleID
        let tenant: TenantID
        /// True if APNs has accepted its token.
        var isReached = false
    }

    static let probeNanoseconds: Int64 = 900 * 1_000_000_000

    private struct Suspension {
        let reason: Reason
        var probeAt: Int64
        /// True: in flight; false: one may go; nil: not yet.
        var isProbing: Bool?
    }

    private var suspensions: [Scope: Suspension] = [:]
    /// Number of lifts so far, each by a good answer or a reload.
    private(set) var liftCount = 0

    var all: [(scope: Scope, reason: Reason)] { suspensions.map { ($0.key, $0.value.reason) } }

    var nextProbe: Int64? { suspensions.values.filter { $0.isProbing == nil }.map(\.probeAt).min() }

    /// - Returns: true if it is new.
    mutating func suspend(_ scope: Scope, _ reason: Reason, now: Int64) -> Bool {
        let isNews = suspensions[scope] == nil
        suspensions[scope] = Suspension(reason: reason, probeAt: now &+ Self.probeNanoseconds)
        return isNews
    }

    var isEmpty: Bool { suspensions.isEmpty }

    func contains(lane: Int) -> Bool { suspensions.keys.contains { $0.lane == lane } }

    /// True even if a probe may go. Changes nothing.
    func stops(_ target: Target) -> Bool { !scopes(target).isEmpty }

    /// True if a push may go; true once when a probe is due.
    mutating func admits(_ target: Target) -> Bool {
        let scopes = scopes(target)
        guard scopes.allSatisfy({ suspensions[$0]?.isProbing == false }) else { return false }
        for scope in scopes { suspensions[scope]?.isProbing = true }
        return true
    }

    func stillAdmits(_ target: Target) -> Bool {
        scopes(target).allSatisfy { suspensions[$0]?.isProbing == true }
    }

    /// Lifts the suspensions of an accepted push.
    mutating func didPass(_ target: Target) -> [Scope] {
        let back = scopes(target).filter { suspensions[$0]?.isProbing != nil }
        for scope in back { suspensions[scope] = nil }
        if !back.isEmpty { liftCount += 1 }
        return back
    }

    /// Makes the next push the probe, as this one got no answer.
    mutating func didLearnNothing(_ target: Target) {
        for scope in scopes(target) where suspensions[scope]?.isProbing == true {
            suspensions[scope]?.isProbing = false
        }
    }

    /// - Returns: scopes that may now send a probe, each once.
    mutating func takeDue(now: Int64) -> [Scope] {
        let due = suspensions.filter { $0.value.isProbing == nil && $0.value.probeAt <= now }.map(\.key)
        for scope in due { suspensions[scope]?.isProbing = false }
        return due
    }

    mutating func clear() {
        suspensions = [:]
        liftCount += 1
    }

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

public import APNS
import Platform
package import Primitives

/// Key's provider token, shared by all its connections and renewed in time: at most once in 20 minutes and at least
/// once in 60, as Apple wants. Age is counted on the uptime clock: setting the wall clock has no effect.
public final class ProviderTokenSource: Sendable {
    /// Leaves ten minutes for clocks that differ.
    package static let renewalAgeSeconds: Int64 = 50 * 60
    /// APNs answers a renewal within 20 minutes with TooManyProviderTokenUpdates. One minute more: both sides count
    /// whole seconds, from different starts.
    package static let renewalAgeSecondsMin: Int64 = 21 * 60
    /// Older tokens are never sent: APNs refuses them after 60 minutes.
    private static let ageSecondsMax: Int64 = 58 * 60
    /// A token is in use this long after its last push.
    private static let useSeconds: Int64 = 60
    /// A larger correction of the wall clock makes the token's `iat` wrong.
    private static let clockStepSecondsMax: Int64 = 5 * 60

    /// Apple's id of the key.
    public let keyID: KeyID
    /// Key's team.
    public let teamID: TeamID
    private let key: ES256PrivateKey
    private let state = Guarded(State())

    private struct State {
        var token: ProviderToken?
        var issuedAtUptime: Int64 = 0
        var usedAtUptime: Int64 = 0
        /// Token before, which APNs may still prefer; or, once restored, the one after it.
        var previous: (token: ProviderToken, issuedAtUptime: Int64)?
        /// No new token before this time.
        var frozenUntilUptime: Int64 = .min
        var isRefused = false
    }

    /// Reads the `.p8` file from Apple's developer account. The caller may wipe its bytes afterwards.
    ///
    /// - Parameters:
    ///   - p8: PEM, PKCS #8, P-256.
    ///   - keyID: The key's, from the same page.
    ///   - teamID: The account's.
    /// - Throws: `.key` if it holds no such key.
    public convenience init(p8: RawSpan, keyID: KeyID, teamID: TeamID) throws(ProviderError) {
        let key: ES256PrivateKey
        do throws(ES256Error) { key = try ES256PrivateKey(pem: p8) } catch { throw .key(error) }
        self.init(key: key, keyID: keyID, teamID: teamID)
    }

    package init(key: consuming ES256PrivateKey, keyID: KeyID, teamID: TeamID) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
    }

    /// - Throws: `.key` if OpenSSL cannot sign.
    package func token(at now: Moment) throws(ProviderError) -> ProviderToken {
        try state.withLock { state throws(ProviderError) in
            defer { state.usedAtUptime = now.uptimeSeconds }
            if let token = state.token, !Self.isRenewalDue(state, token, at: now) { return token }
            if let later = Self.takeLater(&state, at: now) { return later }
            let token = try ProviderToken(
                signedWith: key,
                keyID: keyID,
                teamID: teamID,
                issuedAt: now.unixSeconds
            )
            let previous = state.token.map { (token: $0, issuedAtUptime: state.issuedAtUptime) }
            state = State(token: token, issuedAtUptime: now.uptimeSeconds, previous: previous)
            return token
        }
    }

    /// Age in seconds; nil after a minute without pushes: an unused token's age does no harm.
    package func tokenAgeSeconds(at now: Moment) -> Int64? {
        state.withLock { state in
            guard state.token != nil, now.uptimeSeconds.subtractingClamped(state.usedAtUptime) <= Self.useSeconds else {
                return nil
            }
            return max(0, now.uptimeSeconds.subtractingClamped(state.issuedAtUptime))
        }
    }

    /// Handles a refusal. ExpiredProviderToken brings the renewal forward, within Apple's limit;
    /// TooManyProviderTokenUpdates restores the token before, if young enough.
    package func tokenWasRefused(_ token: ProviderToken, for reason: Reason, at now: Moment = .now()) {
        state.withLock { state in
            // A late answer must not affect the next token.
            guard state.token == token else { return }
            switch reason {
            case .expiredProviderToken: state.isRefused = true
            case .tooManyProviderTokenUpdates:
                state.frozenUntilUptime = now.uptimeSeconds.addingClamped(Self.renewalAgeSecondsMin)
                guard let previous = state.previous, previous.issuedAtUptime < state.issuedAtUptime,
                    now.uptimeSeconds.subtractingClamped(previous.issuedAtUptime) < Self.ageSecondsMax
                else { return }
                state.previous = (token: token, issuedAtUptime: state.issuedAtUptime)
                state.token = previous.token
                state.issuedAtUptime = previous.issuedAtUptime
            default: break
            }
        }
    }

    /// Newer token that an older one had replaced; a new one would again be too many.
    private static func takeLater(_ state: inout State, at now: Moment) -> ProviderToken? {
        guard let later = state.previous, later.issuedAtUptime > state.issuedAtUptime,
            now.uptimeSeconds.subtractingClamped(later.issuedAtUptime) < renewalAgeSeconds
        else { return nil }
        state.token = later.token
        state.issuedAtUptime = later.issuedAtUptime
        state.previous = nil
        state.isRefused = false
        return later.token
    }

    private static func isRenewalDue(_ state: State, _ token: ProviderToken, at now: Moment) -> Bool {
        let age = now.uptimeSeconds.subtractingClamped(state.issuedAtUptime)
        if age >= ageSecondsMax { return true }
        if now.uptimeSeconds < state.frozenUntilUptime { return false }
        if age >= renewalAgeSeconds { return true }
        guard age >= renewalAgeSecondsMin else { return false }
        let clockStep = now.unixSeconds.subtractingClamped(token.issuedAt.addingClamped(age))
        return state.isRefused || clockStep.magnitude > clockStepSecondsMax.magnitude
    }
}

/// Clocks may have absurd dates.
extension Int64 {
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}

package import APNS
package import Primitives
import Synchronization

/// The one token of a key, shared by all of its connections and renewed in time.
///
/// Apple wants a token renewed not more than once in 20 minutes and not less than once in 60. Age is counted on the
/// uptime clock, so that a clock set back neither ages a token nor makes a new one with every push.
///
/// - Source: "Establishing a token-based connection to APNs", "Refresh your token regularly".
package final class ProviderTokenSource: Sendable {
    /// 50 minutes: what the long-lived clients use; ten minutes of room for clocks that differ.
    package static let renewalAgeSeconds: Int64 = 50 * 60
    /// 20 minutes: a renewal before that is answered with TooManyProviderTokenUpdates.
    package static let renewalAgeSecondsMin: Int64 = 20 * 60
    /// A wall clock that was corrected by more than this made the token's `iat` wrong.
    private static let clockStepSecondsMax: Int64 = 5 * 60

    package let keyID: KeyID
    package let teamID: TeamID
    private let key: ES256PrivateKey
    private let state = Mutex(State())

    private struct State {
        var token: ProviderToken?
        var issuedAtUptime: Int64 = 0
        /// A refusal said that this token has expired by Apple's clock.
        var isRefused = false
    }

    /// Keeps `key`, which Apple calls `keyID` and which belongs to `teamID`.
    package init(key: consuming ES256PrivateKey, keyID: KeyID, teamID: TeamID) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
    }

    /// The token to send at `now`: the last one, or a new one when that is due.
    ///
    /// - Throws: `.key` when OpenSSL cannot sign.
    package func token(at now: Moment) throws(ProviderError) -> ProviderToken {
        try state.withLock { state throws(ProviderError) in
            if let token = state.token, !Self.isRenewalDue(state, token, at: now) { return token }
            let token = try ProviderToken(
                signedWith: key,
                keyID: keyID,
                teamID: teamID,
                issuedAt: now.unixSeconds
            )
            state = State(token: token, issuedAtUptime: now.uptimeSeconds)
            return token
        }
    }

    /// Tells that APNs refused `token`. Only ExpiredProviderToken makes the next one come early, and never before the
    /// 20 minutes are over; TooManyProviderTokenUpdates needs nothing, because the token is kept anyway.
    package func tokenWasRefused(_ token: ProviderToken, for reason: Reason) {
        guard reason == .expiredProviderToken else { return }
        state.withLock { state in
            // Another connection's late answer must not condemn a token that has replaced the refused one.
            if state.token == token { state.isRefused = true }
        }
    }

    private static func isRenewalDue(_ state: State, _ token: ProviderToken, at now: Moment) -> Bool {
        let age = now.uptimeSeconds - state.issuedAtUptime
        if age >= renewalAgeSeconds { return true }
        guard age >= renewalAgeSecondsMin else { return false }
        let clockStep = now.unixSeconds - (token.issuedAt + age)
        return state.isRefused || abs(clockStep) > clockStepSecondsMax
    }
}

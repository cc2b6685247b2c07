public import APNS
import Platform
package import Primitives

/// The one token of a key, shared by all of its connections and renewed in time.
///
/// Apple wants a token renewed not more than once in 20 minutes and not less than once in 60. Age is counted on the
/// uptime clock, so that a clock set back neither ages a token nor makes a new one with every push.
///
/// - Source: "Establishing a token-based connection to APNs", "Refresh your token regularly".
public final class ProviderTokenSource: Sendable {
    /// 50 minutes: what the long-lived clients use; ten minutes of room for clocks that differ.
    package static let renewalAgeSeconds: Int64 = 50 * 60
    /// A renewal within 20 minutes is answered with TooManyProviderTokenUpdates. One more, because these are counted in
    /// whole seconds here and there from when APNs first saw the token.
    package static let renewalAgeSecondsMin: Int64 = 21 * 60
    /// Beyond it a token is not sent any more, whatever else was said: APNs refuses it after 60 minutes.
    private static let ageSecondsMax: Int64 = 58 * 60
    /// Since its last push, for a token to be in use.
    private static let useSeconds: Int64 = 60
    /// A wall clock that was corrected by more than this made the token's `iat` wrong.
    private static let clockStepSecondsMax: Int64 = 5 * 60

    /// What Apple calls the key.
    public let keyID: KeyID
    /// Whose key it is.
    public let teamID: TeamID
    private let key: ES256PrivateKey
    private let state = Guarded(State())

    private struct State {
        var token: ProviderToken?
        var issuedAtUptime: Int64 = 0
        /// When it last went out, or was about to.
        var usedAtUptime: Int64 = 0
        /// The one before, which APNs may still know better; or, when that has come back, the one after it.
        var previous: (token: ProviderToken, issuedAtUptime: Int64)?
        /// APNs said that tokens changed too often: until then none is made.
        var frozenUntilUptime: Int64 = .min
        /// A refusal said that this token has expired by Apple's clock.
        var isRefused = false
    }

    /// Out of the `.p8` file from Apple's developer account. The caller may wipe its bytes afterwards.
    ///
    /// - Parameters:
    ///   - p8: the file: PEM, PKCS #8, P-256.
    ///   - keyID: what Apple calls the key.
    ///   - teamID: whose key it is.
    /// - Throws: `.key` when the file holds no such key.
    public convenience init(p8: RawSpan, keyID: KeyID, teamID: TeamID) throws(ProviderError) {
        let key: ES256PrivateKey
        do throws(ES256Error) { key = try ES256PrivateKey(pem: p8) } catch { throw .key(error) }
        self.init(key: key, keyID: keyID, teamID: teamID)
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

    /// How old the token is that pushes go out with, for a gauge.
    ///
    /// - Parameter now: by the clocks that it was made by.
    /// - Returns: seconds; nil when nothing went out for a minute: a token that rests grows old without harm, and the next
    ///   push renews it.
    package func tokenAgeSeconds(at now: Moment) -> Int64? {
        state.withLock { state in
            guard state.token != nil, now.uptimeSeconds.subtractingClamped(state.usedAtUptime) <= Self.useSeconds else {
                return nil
            }
            return max(0, now.uptimeSeconds.subtractingClamped(state.issuedAtUptime))
        }
    }

    /// Tells that APNs refused `token`. ExpiredProviderToken makes the next one come early, and never before its time;
    /// TooManyProviderTokenUpdates brings back the one before, if that is young enough, and lets it stay.
    package func tokenWasRefused(_ token: ProviderToken, for reason: Reason, at now: Moment = .now()) {
        state.withLock { state in
            // Another connection's late answer must not condemn a token that has replaced the refused one.
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

    /// The token that was too many for APNs when the one before came back: when that is too old, another new one would be
    /// one more too many.
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

/// Clocks that are set to absurd dates are no reason to end the process.
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

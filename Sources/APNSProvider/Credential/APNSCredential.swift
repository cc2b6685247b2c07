import APNS
import Transport

/// Who pushes. Certificate or token: APNs ignores the token of a connection that showed a certificate.
package enum APNSCredential: Sendable {
    /// The team's key. Clients that share the source share its one token.
    case token(ProviderTokenSource)
}

/// A credential as one pool uses it, on its loop.
struct LaneCredential {
    let context: TLSContext
    private let tokens: ProviderTokenSource?
    private let clock: @Sendable () -> Moment
    private var token: ProviderToken?
    private var checkedAt = MonotonicTime(nanoseconds: .min)

    init(
        _ credential: APNSCredential,
        trust: TLSContext.Trust,
        clock: @escaping @Sendable () -> Moment
    ) throws(ProviderError) {
        switch credential {
        case .token(let source): tokens = source
        }
        do throws(TLSError) {
            context = try TLSContext.client(trust: trust, alpn: ["h2"])
        } catch {
            throw .tls(error)
        }
        self.clock = clock
    }

    /// Nil where the certificate says who pushes. Once for each turn of the loop, whose time `now` is: asking for each push
    /// would cost two clocks and a lock.
    mutating func token(at now: MonotonicTime) throws(ProviderError) -> ProviderToken? {
        guard let tokens else { return nil }
        if let token, now == checkedAt { return token }
        let current = try tokens.token(at: clock())
        token = current
        checkedAt = now
        return current
    }

    /// APNs did not take the token with this `iat`.
    mutating func didRefuse(_ issuedAt: Int64?, _ reason: Reason) {
        guard let tokens, let token, token.issuedAt == issuedAt else { return }
        tokens.tokenWasRefused(token, for: reason)
        checkedAt = MonotonicTime(nanoseconds: .min)
    }

    /// - Returns: whether there is another token now than the refused one; Apple allows a new one every 20 minutes.
    mutating func renew(refused issuedAt: Int64?, _ reason: Reason, at now: MonotonicTime) -> Bool {
        didRefuse(issuedAt, reason)
        do throws(ProviderError) {
            return try token(at: now)?.issuedAt != issuedAt
        } catch {
            return false
        }
    }
}

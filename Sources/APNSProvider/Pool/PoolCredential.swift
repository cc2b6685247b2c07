import APNS
import Networking

/// Pool's credential, on its loop.
struct PoolCredential {
    let context: TLSContext
    private let tokens: ProviderTokenSource?
    private let certificate: ClientCertificate?
    private let clock: @Sendable () -> Moment
    private var token: ProviderToken?
    private var checkedAt = MonotonicTime(nanoseconds: .min)

    /// - Throws: `.certificate` if it is for another endpoint or not valid now; `.tls`.
    init(
        _ credential: APNSCredential,
        for endpoint: APNSEndpoint,
        trust: TLSTrust,
        clock: @escaping @Sendable () -> Moment
    ) throws(ProviderError) {
        switch credential {
        case .token(let source): (tokens, certificate) = (source, nil)
        case .certificate(let shown): (tokens, certificate) = (nil, shown)
        }
        do throws(ClientCertificateError) {
            try certificate?.check(at: clock().unixSeconds, for: endpoint.environment)
        } catch {
            throw .certificate(error)
        }
        do throws(TLSError) {
            context = try TLSContext.client(trust: trust, alpn: ["h2"], identity: certificate?.identity)
        } catch {
            throw .tls(error)
        }
        self.clock = clock
    }

    // Inlined: a call would copy the credential out of its pool.
    @inline(__always)
    func check(_ notification: borrowing PushNotification) throws(PushNotificationError) {
        try notification.checkAuthentication(hasProviderToken: certificate == nil)
        guard let certificate else { return }
        guard certificate.allows(notification.topic, notification.pushType) else { throw .topicNotOfCertificate }
    }

    /// nil with a certificate. Read once in each turn of the loop, which saves two clocks and a lock for each push.
    mutating func token(at now: MonotonicTime) throws(ProviderError) -> ProviderToken? {
        guard let tokens else { return nil }
        if let token, now == checkedAt { return token }
        let current = try tokens.token(at: clock())
        token = current
        checkedAt = now
        return current
    }

    /// - Returns: true if the token now differs from the refused one.
    mutating func renew(refused issuedAt: Int64?, _ reason: Reason, at now: MonotonicTime) -> Bool {
        if let tokens, let token, token.issuedAt == issuedAt {
            tokens.tokenWasRefused(token, for: reason, at: clock())
            checkedAt = MonotonicTime(nanoseconds: .min)
        }
        do throws(ProviderError) {
            return try token(at: now)?.issuedAt != issuedAt
        } catch {
            return false
        }
    }
}

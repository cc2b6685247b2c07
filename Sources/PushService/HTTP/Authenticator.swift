import PushStore

/// Admission before the body is read: key, scope, rate.
///
/// A request with a valid key counts for its tenant, any other for its address: a guesser of keys locks out no back end
/// behind the same address.
package struct Authenticator: Sendable {
    private static let burstSeconds = 2.0

    private var table: AccessTable
    private var tenantRates: [TenantID: RateLimiter<TenantID>.Rate]
    private var addressRate: RateLimiter<IPAddress>.Rate
    private var addresses: RateLimiter<IPAddress>
    private var tenants: RateLimiter<TenantID>

    package init(_ configuration: ServiceConfiguration) {
        table = configuration.accessTable
        tenantRates = Dictionary(
            configuration.tenants.map { ($0.id, Self.rate($0.requestsPerSecond)) },
            uniquingKeysWith: { first, _ in first }
        )
        addressRate = Self.rate(Double(configuration.limits.requestsPerSecondOfAddress))
        addresses = RateLimiter(keyCountMax: configuration.limits.bucketCountMax)
        tenants = RateLimiter(keyCountMax: max(1, configuration.tenants.count))
    }

    /// Used-up rates stay used up.
    package mutating func adopt(_ configuration: ServiceConfiguration) {
        let next = Authenticator(configuration)
        (table, tenantRates, addressRate) = (next.table, next.tenantRates, next.addressRate)
        addresses.keyCountMax = next.addresses.keyCountMax
        tenants.keyCountMax = next.tenants.keyCountMax
    }

    private static func rate<Key>(_ perSecond: Double) -> RateLimiter<Key>.Rate {
        RateLimiter<Key>.Rate(perSecond: perSecond, burst: max(1, Int(perSecond * burstSeconds)))
    }

    /// - Parameters:
    ///   - session: key of a session, in place of the request's.
    ///   - now: nanoseconds of a monotonic clock.
    ///   - unixSeconds: wall clock, for keys that expire.
    /// - Returns: nil if the route needs no key.
    /// - Throws: `.tooManyRequests`, `.unauthorized`, `.forbidden`. All unusable keys get one answer.
    package mutating func admit(
        _ request: APIRequest,
        to route: Route,
        session: APIKeyHash? = nil,
        now: Int64,
        unixSeconds: @autoclosure () -> Int64
    ) throws(Problem) -> Grant? {
        guard let scope = route.scope else {
            try countAddress(of: request, now: now)
            return nil
        }
        let key = request.value(of: "authorization").flatMap { APIKey.bearer($0) }
        // Also without a key, to take as long.
        let hash = session ?? APIKeyHash(of: key ?? [])
        let grant = try grant(of: hash, request, now: now, unixSeconds: unixSeconds())
        guard grant.scopes.contains(scope) else {
            throw Problem(.forbidden, "Use a key with the scope '\(scope.rawValue)', or add it to this key's.")
        }
        if let rate = tenantRates[grant.tenant], let wait = tenants.take(of: grant.tenant, rate: rate, now: now) {
            throw Self.tooMany("of this tenant", wait)
        }
        return grant
    }

    /// Finds a usable key; a request with another counts for its address.
    ///
    /// - Throws: `.tooManyRequests`, `.unauthorized`.
    package mutating func grant(
        of hash: APIKeyHash,
        _ request: APIRequest,
        now: Int64,
        unixSeconds: @autoclosure () -> Int64
    ) throws(Problem) -> Grant {
        guard let grant = table.grant(of: hash) else {
            try countAddress(of: request, now: now)
            throw Self.unauthorized
        }
        if let end = grant.end, unixSeconds() >= end {
            try countAddress(of: request, now: now)
            var problem = Self.unauthorized
            problem.endedKey = grant
            throw problem
        }
        return grant
    }

    /// Nil for a key that is gone or has expired.
    func grant(of hash: APIKeyHash, unixSeconds: Int64) -> Grant? {
        table.grant(of: hash).flatMap { $0.end.map { unixSeconds < $0 } ?? true ? $0 : nil }
    }

    /// On the loopback port there is no address.
    private mutating func countAddress(of request: APIRequest, now: Int64) throws(Problem) {
        guard let client = request.client?.client,
            let wait = addresses.take(of: client, rate: addressRate, now: now)
        else { return }
        throw Self.tooMany("from this address", wait)
    }

    private static var unauthorized: Problem {
        Problem(.unauthorized, "Send a key of the tenant as 'Authorization: Bearer spk_…', once.")
    }

    private static func tooMany(_ whose: String, _ wait: Duration) -> Problem {
        var problem = Problem(.tooManyRequests, "Wait for the time in 'Retry-After'; too many requests came \(whose).")
        problem.retryAfterSeconds = wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)
        return problem
    }
}

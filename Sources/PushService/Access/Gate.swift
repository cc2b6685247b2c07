import PushStore

/// What every request passes before its body is read: the rate of its address, its key, the key's scope, the rate of its
/// tenant. In this order, so that guessing keys costs the guesser its rate and nobody else anything.
package struct Gate: Sendable {
    /// A burst is what a second brings, twice.
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

    /// Works by another configuration from now on. Who has used up its rate has used it up still.
    package mutating func adopt(_ configuration: ServiceConfiguration) {
        let next = Gate(configuration)
        (table, tenantRates, addressRate) = (next.table, next.tenantRates, next.addressRate)
        addresses.keyCountMax = next.addresses.keyCountMax
        tenants.keyCountMax = next.tenants.keyCountMax
    }

    private static func rate<Key>(_ perSecond: Double) -> RateLimiter<Key>.Rate {
        RateLimiter<Key>.Rate(perSecond: perSecond, burst: max(1, Int(perSecond * burstSeconds)))
    }

    /// - Parameters:
    ///   - request: nothing of its body is looked at.
    ///   - route: what it asks for.
    ///   - now: nanoseconds of a monotonic clock.
    ///   - unixSeconds: the wall's time, for keys that have an end.
    /// - Returns: whom it speaks for; nil where the route asks for no key.
    /// - Throws: `.tooManyRequests`, `.unauthorized`, `.forbidden`. A key that is missing, malformed, unknown or over gets one
    ///   and the same answer.
    package mutating func admit(
        _ request: APIRequest,
        to route: Route,
        now: Int64,
        unixSeconds: @autoclosure () -> Int64
    ) throws(Problem) -> Grant? {
        // Requests without an address are the loopback port's, where a back end of the same machine asks.
        if let client = request.client?.client, let wait = addresses.take(of: client, rate: addressRate, now: now) {
            throw Self.tooMany("from this address", wait)
        }
        guard let scope = route.scope else { return nil }
        let key = request.value(of: "authorization").flatMap { APIKey.bearer($0) }
        // Without a key the table is asked all the same: the answer takes as long.
        guard let grant = table.grant(for: key ?? []) else {
            throw Self.unauthorized
        }
        if let end = grant.end, unixSeconds() >= end {
            var problem = Self.unauthorized
            problem.endedKey = grant
            throw problem
        }
        guard grant.scopes.contains(scope) else {
            throw Problem(.forbidden, "Use a key with the scope '\(scope.rawValue)', or add it to this key's.")
        }
        if let rate = tenantRates[grant.tenant], let wait = tenants.take(of: grant.tenant, rate: rate, now: now) {
            throw Self.tooMany("of this tenant", wait)
        }
        return grant
    }

    private static var unauthorized: Problem {
        Problem(.unauthorized, "Send a key of the tenant as 'Authorization: Bearer spk_…', once.")
    }

    private static func tooMany(_ whose: String, _ wait: Duration) -> Problem {
        var problem = Problem(.tooManyRequests, "Wait as long as 'Retry-After' says; too many requests came \(whose).")
        problem.retryAfterSeconds = wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)
        return problem
    }
}

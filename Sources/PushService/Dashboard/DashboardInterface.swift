import HTTP
import PushStore

/// API as the dashboard sees it. On the loop.
protocol DashboardInterface: AnyObject, Sendable {
    /// - Throws: `.tooManyRequests`, `.unauthorized`; `.forbidden` without a scope for reading.
    func signIn(_ key: APIKeyHash, _ head: HTTPHead) throws(Problem) -> Grant

    /// Nil for a key that is gone or has expired.
    func grant(of key: APIKeyHash) -> Grant?

    /// A request with that key.
    func begin(_ head: HTTPHead, as key: APIKeyHash) -> HTTPBeginning

    /// As `GET /v1/statistics`; nil: of the whole service.
    func statistics(of tenant: TenantID?) async throws(Problem) -> [UInt8]
}

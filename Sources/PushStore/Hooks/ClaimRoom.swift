/// Sender's room, in all and for each tenant.
package struct ClaimRoom: Equatable, Sendable {
    package let whole: Int
    /// For tenants not in `ofTenants`.
    package let ofEach: Int
    package let ofTenants: [TenantID: Int]

    package init(whole: Int, ofEach: Int, ofTenants: [TenantID: Int] = [:]) {
        self.whole = whole
        self.ofEach = ofEach
        self.ofTenants = ofTenants
    }

    package static let unlimited = ClaimRoom(whole: .max, ofEach: .max)

    /// Bound of one call.
    package var limit: Int { min(whole, Page<Never>.limits.upperBound) }

    /// Bound of one call for a tenant; nil for one without a name.
    package func limit(of tenant: TenantID?) -> Int { min(limit, tenant.flatMap { ofTenants[$0] } ?? ofEach) }
}

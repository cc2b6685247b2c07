/// How much a sender has room for, in all and of each tenant's: nothing beyond it is taken from the store.
package struct ClaimRoom: Equatable, Sendable {
    package let whole: Int
    /// Of a tenant that `ofTenants` does not name.
    package let ofEach: Int
    package let ofTenants: [TenantID: Int]

    package init(whole: Int, ofEach: Int, ofTenants: [TenantID: Int] = [:]) {
        self.whole = whole
        self.ofEach = ofEach
        self.ofTenants = ofTenants
    }

    /// For as much as one call takes, of every tenant's.
    package static let unlimited = ClaimRoom(whole: .max, ofEach: .max)

    /// What one call takes at most.
    var limit: Int { min(whole, Page<Never>.limits.upperBound) }

    /// What one call takes of a tenant's; nil for one that has no name any more.
    func limit(of tenant: TenantID?) -> Int { min(limit, tenant.flatMap { ofTenants[$0] } ?? ofEach) }
}

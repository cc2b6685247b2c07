package import PushStore

package struct Grant: Equatable, Sendable {
    package let tenant: TenantID
    /// Name for the audit log.
    package let keyName: String
    package let scopes: Scopes
    /// Expiry in seconds since 1970; nil: never.
    package var end: Int64?
}

/// Hashes of all API keys.
///
/// A look-up compares every row to its end and picks the grant by arithmetic: its time reveals nothing.
package struct AccessTable: Sendable {
    package static let rowCountMax = 4_096

    private let grants: [Grant]
    private let hashes: [UInt8]

    /// - Parameter rows: at most `rowCountMax`, unique hashes, as the configuration's reader checks.
    package init(_ rows: [(hash: APIKeyHash, grant: Grant)]) {
        precondition(rows.count <= Self.rowCountMax)
        grants = rows.map(\.grant)
        hashes = rows.flatMap(\.hash.bytes)
    }

    package func grant(for key: [UInt8]) -> Grant? { grant(of: APIKeyHash(of: key)) }

    package func grant(of hash: APIKeyHash) -> Grant? {
        let hash = hash.bytes
        var found: UInt = 0
        for row in grants.indices {
            var difference: UInt8 = 0
            for offset in 0..<APIKeyHash.byteCount {
                difference |= hashes[row * APIKeyHash.byteCount + offset] ^ hash[offset]
            }
            // All ones if nothing differed; no branch.
            let mask = ((UInt(difference) &- 1) >> 8 & 1) &* .max
            found = (found & ~mask) | (mask & UInt(row + 1))
        }
        return found == 0 ? nil : grants[Int(found - 1)]
    }
}

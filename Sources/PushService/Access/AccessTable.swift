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
/// A look-up compares every row with the hash's first two bytes to its end, and picks the grant by arithmetic: its time
/// tells at most how many rows have these, of a hash that the caller has made.
package struct AccessTable: Sendable {
    package static let rowCountMax = 4_096

    private let grants: [Grant]
    private let hashes: [UInt8]
    /// Rows by their first two bytes.
    private let places: [UInt16: Range<Int>]

    /// - Parameter rows: at most `rowCountMax`, unique hashes, as the configuration's reader checks.
    package init(_ rows: [(hash: APIKeyHash, grant: Grant)]) {
        precondition(rows.count <= Self.rowCountMax)
        let rows = rows.sorted { Self.start(of: $0.hash) < Self.start(of: $1.hash) }
        grants = rows.map(\.grant)
        hashes = rows.flatMap(\.hash.bytes)
        var places: [UInt16: Range<Int>] = [:]
        for (row, (hash, _)) in rows.enumerated() {
            let start = Self.start(of: hash)
            places[start] = (places[start]?.lowerBound ?? row)..<row + 1
        }
        self.places = places
    }

    package func grant(for key: [UInt8]) -> Grant? { grant(of: APIKeyHash(of: key)) }

    package func grant(of hash: APIKeyHash) -> Grant? {
        guard let rows = places[Self.start(of: hash)] else { return nil }
        let hash = hash.bytes
        var found: UInt = 0
        for row in rows {
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

    private static func start(of hash: APIKeyHash) -> UInt16 { UInt16(hash.bytes[0]) << 8 | UInt16(hash.bytes[1]) }
}

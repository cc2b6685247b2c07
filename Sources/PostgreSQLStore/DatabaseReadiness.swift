package import PostgreSQL

/// State of a database, for a relay's readiness. A standby or an earlier primary is refused by the connection.
package enum DatabaseReadiness: Equatable, Sendable {
    case ready
    case schema(SchemaMigration.Standing)
    /// `synchronous_standby_names` is empty: a failover would lose what was acknowledged.
    case noStandby

    /// - Parameter requiresStandby: false where the configuration accepts that loss.
    package static func check(
        _ pool: DatabasePool,
        requiresStandby: Bool
    ) async throws(PostgreSQLError) -> DatabaseReadiness {
        let standing = try await SchemaMigration.standing(of: pool)
        guard standing == .usable else { return .schema(standing) }
        guard requiresStandby else { return .ready }
        var batch = Batch(writes: false)
        batch.add("SELECT current_setting('synchronous_standby_names')")
        let rows = try await pool.run(batch, within: SchemaMigration.deadline).flatMap(\.rows)
        return try rows.first?.text(0).isEmpty == false ? .ready : .noStandby
    }
}

extension DatabaseReadiness: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ready: "the database is ready"
        case .schema(let standing): "\(standing)"
        case .noStandby:
            "the database has no synchronous standby; set synchronous_standby_names, or accept the loss in a failover"
        }
    }
}

package import PostgreSQL

/// Steps that a database lacks, each in a transaction of its own: a crash leaves some version.
package enum SchemaMigration {
    /// Stamp of a database, beside that of this program.
    package enum Standing: Equatable, Sendable {
        case usable
        /// No schema, or fewer steps than this program needs.
        case older(version: Int, needed: Int)
        /// More than one step beyond this program's.
        case newer(version: Int, newestKnown: Int)
    }

    static let deadline = Duration.seconds(60)

    package static func standing(of pool: DatabasePool) async throws(PostgreSQLError) -> Standing {
        try await standing(of: pool, known: DatabaseSchema.version)
    }

    static func standing(of pool: DatabasePool, known: Int) async throws(PostgreSQLError) -> Standing {
        standing(of: try await version(of: pool), known: known)
    }

    static func standing(of version: Int, known: Int = DatabaseSchema.version) -> Standing {
        if version < known { return .older(version: version, needed: known) }
        // The relays of the version before go on while the first of the next one is started.
        return version <= known + 1 ? .usable : .newer(version: version, newestKnown: known)
    }

    /// Applies what is missing. Several programs may do so at once.
    ///
    /// - Returns: number of steps that this call applied.
    /// - Throws: `.uncertain`, among others; a repetition goes on where it ended.
    package static func run(_ pool: DatabasePool) async throws(PostgreSQLError) -> Int {
        try await run(pool, steps: DatabaseSchema.steps)
    }

    static func run(_ pool: DatabasePool, steps: [[Statement]]) async throws(PostgreSQLError) -> Int {
        var appliedCount = 0
        while true {
            let version = try await version(of: pool)
            guard version < steps.count else { return appliedCount }
            do throws(PostgreSQLError) {
                try await apply(steps[version], as: version + 1, pool)
                appliedCount += 1
            } catch .notDone(.refused(let state)) where concurrent.contains(state.description) {
                // Another program was faster; its version counts.
                continue
            }
        }
    }

    /// A unique key, or a schema that was made at the same time.
    private static let concurrent: Set = ["23505", "42P06"]

    private static func apply(_ step: [Statement], as version: Int, _ pool: DatabasePool) async throws(PostgreSQLError)
    {
        var batch = Batch(writes: true)
        if version == 1 { for statement in DatabaseSchema.stamps { batch.add(statement) } }
        // First, so that a second program waits here, and then fails on the key.
        batch.add("INSERT INTO sealedpush.stamp (version) VALUES ($1)", .int64(Int64(version)))
        for statement in step { batch.add(statement) }
        _ = try await pool.run(batch, within: deadline)
    }

    /// - Returns: 0 without a schema.
    private static func version(of pool: DatabasePool) async throws(PostgreSQLError) -> Int {
        var exists = Batch(writes: false)
        exists.add("SELECT to_regclass('sealedpush.stamp') IS NOT NULL")
        guard let row = try await pool.run(exists, within: deadline)[0].rows.first, try row.bool(0) else { return 0 }
        var stamp = Batch(writes: false)
        stamp.add("SELECT coalesce(max(version), 0) FROM sealedpush.stamp")
        guard let row = try await pool.run(stamp, within: deadline)[0].rows.first else { return 0 }
        return Int(clamping: try row.int64(0))
    }
}

extension SchemaMigration.Standing: CustomStringConvertible {
    package var description: String {
        switch self {
        case .usable: "the database's schema is usable"
        case .older(let version, let needed):
            "the database has version \(version) of the schema, and this relay needs \(needed); migrate it first"
        case .newer(let version, let newestKnown):
            "the database has version \(version) of the schema, and this relay knows \(newestKnown); update this relay"
        }
    }
}

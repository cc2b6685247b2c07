internal import Primitives

/// Upgrades a file to the newest version, each step in a transaction: a crash leaves some version.
enum Migration {
    /// - Parameters:
    ///   - steps: fewer in tests.
    ///   - hash: replaces the file's own in tests.
    /// - Returns: file's version before; 0 for an empty file.
    /// - Throws: `.newerFile`, `.notAStore`.
    @discardableResult
    static func run(
        _ connection: SQLiteConnection,
        steps: [String] = Schema.steps,
        hash: DeviceSlots.Hash? = nil,
        whileOpening: (@Sendable (OpeningProgress) -> Void)? = nil
    ) throws(StoreError) -> Int {
        let version = Int(try connection.integer("PRAGMA user_version"))
        let owner = try connection.integer("PRAGMA application_id")
        if owner != Schema.applicationID {
            let tableCount = try connection.integer("SELECT count(*) FROM sqlite_schema")
            guard owner == 0, version == 0, tableCount == 0 else { throw .notAStore }
        }
        guard version <= steps.count else { throw .newerFile(version: version, newestKnown: steps.count) }
        guard version >= 0 else { throw .notAStore }
        if version > 0, version < steps.count {
            whileOpening?(.upgrading(versionBefore: version, version: steps.count))
        }
        for (index, step) in steps.enumerated().dropFirst(version) {
            try connection.execute("BEGIN IMMEDIATE")
            do throws(StoreError) {
                try connection.execute(step)
                if index + 1 == Schema.placesVersion { try move(connection, hash) }
                try connection.execute("PRAGMA application_id = \(Schema.applicationID)")
                try connection.execute("PRAGMA user_version = \(index + 1)")
                try connection.execute("COMMIT")
            } catch {
                // A failed rollback follows from the first error; the file keeps its version either way.
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                throw error
            }
        }
        return version
    }

    private static func move(_ connection: SQLiteConnection, _ hash: DeviceSlots.Hash?) throws(StoreError) {
        var random = SystemRandom()
        try DeviceMove(connection, hash: hash, random: &random).run()
    }
}

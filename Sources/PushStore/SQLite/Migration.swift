internal import Primitives

/// Brings a file to the newest version, a step at a time and each step whole: a process that dies in between leaves a file of
/// some version.
enum Migration {
    /// - Parameters:
    ///   - connection: to a file that may be empty.
    ///   - steps: all of them; fewer only in tests, to make files of before.
    ///   - hash: of devices, in place of the file's own; nil but in tests.
    ///   - whileOpening: hears that an earlier file is to be brought forward.
    /// - Returns: the version that the file had; 0 for an empty one.
    /// - Throws: `.newerFile`, `.notAStore`.
    @discardableResult
    static func run(
        _ connection: SQLiteConnection,
        steps: [String] = Schema.steps,
        hash: DevicePlaces.Hash? = nil,
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
                // What it fails with is what went wrong before; the file is of the version before either way.
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                throw error
            }
        }
        return version
    }

    private static func move(_ connection: SQLiteConnection, _ hash: DevicePlaces.Hash?) throws(StoreError) {
        var random = SystemRandom()
        try DeviceMove(connection, hash: hash, random: &random).run()
    }
}

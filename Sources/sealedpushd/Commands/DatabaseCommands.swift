import Platform
import PushService
import ServiceParts

/// `migrate` and `move`, for a database that relays share.
enum DatabaseCommands {
    static func migrate(_ configuration: String) -> Int32 {
        run(configuration, onFile: "nothing to do: the service migrates its database-file at its start") {
            server,
            loaded async throws(ServiceError) in
            let count = try await DatabaseOpening.migrate(server, loaded)
            return count == 0 ? "nothing to do: the schema is up to date" : "steps of the schema: \(count)"
        }
    }

    /// - Parameter file: SQLite's.
    static func move(_ file: String, _ configuration: String) -> Int32 {
        guard unsafe access(file, F_OK) == 0 else {
            Output.complain("sealedpushd: \(file) does not exist; give the path of the database-file until now")
            return ExitCode.failed
        }
        return run(configuration, onFile: nil) { server, loaded async throws(ServiceError) in
            let progress = WorkProgress("moving \(file)")
            defer { progress.end() }
            return try await DatabaseOpening.move(file, server, loaded)
        }
    }

    /// - Parameter onFile: answer for a configuration with a file; nil: that is a fault.
    private static func run(
        _ configuration: String,
        onFile: String?,
        _ body: @escaping @Sendable (DatabaseServer, LoadedConfiguration) async throws(ServiceError) -> String
    ) -> Int32 {
        let loaded: LoadedConfiguration
        do throws(ConfigurationFileError) {
            loaded = try ConfigurationFile.load(configuration)
        } catch {
            Output.complain(error.lines.joined(separator: "\n"))
            return ExitCode.configuration
        }
        guard case .server(let server) = loaded.configuration.database else {
            if let onFile { return Output.show(onFile) ? ExitCode.done : ExitCode.failed }
            Output.complain("sealedpushd: \(configuration) has a 'database-file'; give one with the new 'database'")
            return ExitCode.failed
        }
        return Blocking.wait { () async -> Int32 in
            do throws(ServiceError) {
                return Output.show(try await body(server, loaded)) ? ExitCode.done : ExitCode.failed
            } catch {
                Output.complain("sealedpushd: \(error.description)")
                return error.isLasting ? ExitCode.configuration : ExitCode.failed
            }
        }
    }
}

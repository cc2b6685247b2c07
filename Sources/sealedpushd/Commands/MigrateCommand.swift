import PushService
import ServiceParts

/// `migrate`.
enum MigrateCommand {
    static func run(_ configuration: String) -> Int32 {
        let loaded: LoadedConfiguration
        do throws(ConfigurationFileError) {
            loaded = try ConfigurationFile.load(configuration)
        } catch {
            Output.complain(error.lines.joined(separator: "\n"))
            return ExitCode.configuration
        }
        guard case .server(let server) = loaded.configuration.database else {
            return Output.show("nothing to do: the service migrates its database-file at its start")
                ? ExitCode.done : ExitCode.failed
        }
        #if POSTGRESQL
        return Blocking.wait { () async -> Int32 in
            do throws(ServiceError) {
                let count = try await DatabaseOpening.migrate(server, loaded)
                let text = count == 0 ? "nothing to do: the schema is up to date" : "steps of the schema: \(count)"
                return Output.show(text) ? ExitCode.done : ExitCode.failed
            } catch {
                Output.complain("sealedpushd: \(error.description)")
                return error.isLasting ? ExitCode.configuration : ExitCode.failed
            }
        }
        #else
        Output.complain("sealedpushd: \(server.urlFile): this program has no client of PostgreSQL")
        return ExitCode.failed
        #endif
    }
}

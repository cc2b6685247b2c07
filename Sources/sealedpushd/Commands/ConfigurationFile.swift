import Envelope
import Keys
import Primitives
import PushService
import ServiceParts

enum ConfigurationFile {
    /// Includes the named files.
    static func load(_ path: String) throws(ConfigurationFileError) -> LoadedConfiguration {
        let file = try bytes(path)
        do throws(ConfigurationErrors) {
            return try LoadedConfiguration(file: file, environment: ProcessSettings.environment(), now: now())
        } catch {
            throw ConfigurationFileError(lines: lines(error, path))
        }
    }

    /// Leaves them out.
    static func read(_ path: String) throws(ConfigurationFileError) -> ServiceConfiguration {
        let file = try bytes(path)
        do throws(ConfigurationErrors) {
            return try ServiceConfiguration(file: file, environment: ProcessSettings.environment())
        } catch {
            throw ConfigurationFileError(lines: lines(error, path))
        }
    }

    /// `FILE:LINE:COLUMN: /field: what to do`.
    static func lines(_ error: ConfigurationErrors, _ path: String) -> [String] {
        error.faults.map { fault in
            if case .file = fault.place { "\(path):\(fault.description)" } else { fault.description }
        }
    }

    static func now() -> Timestamp { Timestamp(milliseconds: SystemClock.millisecondsSince1970) }

    private static func bytes(_ path: String) throws(ConfigurationFileError) -> [UInt8] {
        do throws(FileError) {
            return try WholeFile.read(path, byteCountMax: ServiceConfiguration.byteCountMax)
        } catch {
            throw ConfigurationFileError(lines: ["\(path): \(error.advice)"])
        }
    }
}

struct ConfigurationFileError: Error {
    let lines: [String]
}

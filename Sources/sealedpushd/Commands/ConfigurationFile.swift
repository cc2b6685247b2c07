import Envelope
import Keys
import Primitives
import PushService

enum ConfigurationFile {
    /// One line for each fault, with its place in the file.
    struct Faults: Error {
        let lines: [String]
    }

    /// Includes every named file.
    static func load(_ path: String) throws(Faults) -> LoadedConfiguration {
        let file = try bytes(path)
        do throws(ConfigurationError) {
            return try LoadedConfiguration(file: file, environment: ProcessSettings.environment(), now: now())
        } catch {
            throw Faults(lines: lines(error, path))
        }
    }

    static func read(_ path: String) throws(Faults) -> ServiceConfiguration {
        let file = try bytes(path)
        do throws(ConfigurationError) {
            return try ServiceConfiguration(file: file, environment: ProcessSettings.environment())
        } catch {
            throw Faults(lines: lines(error, path))
        }
    }

    /// `FILE:LINE:COLUMN: /field: what to do`.
    static func lines(_ error: ConfigurationError, _ path: String) -> [String] {
        error.faults.map { fault in
            if case .file = fault.place { "\(path):\(fault.description)" } else { fault.description }
        }
    }

    static func now() -> Timestamp { Timestamp(milliseconds: SystemClock.millisecondsSince1970) }

    private static func bytes(_ path: String) throws(Faults) -> [UInt8] {
        do throws(FileError) {
            return try WholeFile.read(path, byteCountMax: ServiceConfiguration.byteCountMax)
        } catch {
            throw Faults(lines: ["\(path): \(error.advice)"])
        }
    }
}

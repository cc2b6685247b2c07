/// Writes messages into the log.
///
/// On Linux the log is standard error, and only if the environment variable `SEALEDPUSH_LOG` names the least level to
/// write: `debug`, `info`, `default`, `error` or `fault`. Private values are never written, as a test's log has other
/// readers.
///
/// - Source: https://developer.apple.com/documentation/os/logger
public struct Logger: Sendable {
    private let subsystem: String
    private let category: String

    /// Creates a logger without a subsystem.
    public init() {
        self.init(subsystem: "", category: "")
    }

    /// Creates a logger for a part of an app.
    ///
    /// - Parameters:
    ///   - subsystem: Usually the app's bundle id.
    ///   - category: The part.
    public init(subsystem: String, category: String) {
        self.subsystem = subsystem
        self.category = category
    }

    /// Creates a logger for the same part as a log.
    public init(_ logObj: OSLog) {
        self.init(subsystem: logObj.subsystem, category: logObj.category)
    }

    /// Writes at the default level.
    public func log(_ message: OSLogMessage) { write(message, .default) }

    /// Writes at a level.
    public func log(level: OSLogType, _ message: OSLogMessage) { write(message, level) }

    /// Writes at the debug level.
    public func trace(_ message: OSLogMessage) { write(message, .debug) }

    /// Writes at the debug level.
    public func debug(_ message: OSLogMessage) { write(message, .debug) }

    /// Writes at the info level.
    public func info(_ message: OSLogMessage) { write(message, .info) }

    /// Writes at the default level.
    public func notice(_ message: OSLogMessage) { write(message, .default) }

    /// Writes at the error level.
    public func warning(_ message: OSLogMessage) { write(message, .error) }

    /// Writes at the error level.
    public func error(_ message: OSLogMessage) { write(message, .error) }

    /// Writes at the fault level.
    public func critical(_ message: OSLogMessage) { write(message, .fault) }

    /// Writes at the fault level.
    public func fault(_ message: OSLogMessage) { write(message, .fault) }

    private func write(_ message: OSLogMessage, _ level: OSLogType) {
        LogOutput.write(message.redacted, level, subsystem: subsystem, category: category)
    }
}

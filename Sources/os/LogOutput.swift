internal import Platform

/// Destination of log messages: none, unless the environment names a level.
enum LogOutput {
    private static let variable = "SEALEDPUSH_LOG"

    /// Nil if nothing is to be written.
    private static let importanceMin: Int? = unsafe getenv(variable).flatMap { unsafe importance(String(cString: $0)) }

    static func write(_ text: String, _ level: OSLogType, subsystem: String, category: String) {
        guard let importanceMin, level.importance >= importanceMin else { return }
        let line = line(text, subsystem: subsystem, category: category)
        // A failed write to the log is ignored.
        _ = unsafe Platform.write(STDERR_FILENO, line, line.utf8.count)
    }

    /// One line, with line breaks in the text escaped.
    static func line(_ text: String, subsystem: String, category: String) -> String {
        let place = subsystem.isEmpty ? "" : "[\(subsystem):\(category)] "
        return place + text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n") + "\n"
    }

    /// - Returns: Nil for an unknown level.
    static func importance(_ name: String) -> Int? {
        switch name {
        case "debug": OSLogType.debug.importance
        case "info": OSLogType.info.importance
        case "default", "notice": OSLogType.default.importance
        case "error": OSLogType.error.importance
        case "fault": OSLogType.fault.importance
        default: nil
        }
    }
}

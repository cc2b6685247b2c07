/// Part of an app, for the functions that predate `Logger`.
///
/// - Source: https://developer.apple.com/documentation/os/oslog
public final class OSLog: Sendable {
    /// Usually the app's bundle id.
    let subsystem: String
    let category: String

    /// Log without a part.
    public static let `default` = OSLog(subsystem: "", category: "")
    /// Log that drops its messages.
    public static let disabled = OSLog(subsystem: "", category: "", isDisabled: true)

    let isDisabled: Bool

    /// Creates a log for a part of an app.
    ///
    /// - Parameters:
    ///   - subsystem: Usually the app's bundle id.
    ///   - category: The part.
    public convenience init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, isDisabled: false)
    }

    private init(subsystem: String, category: String, isDisabled: Bool) {
        self.subsystem = subsystem
        self.category = category
        self.isDisabled = isDisabled
    }
}

/// Level of a message.
public struct OSLogType: RawRepresentable, Sendable, Equatable {
    /// Apple's number.
    public let rawValue: UInt8

    /// Creates a level from Apple's number.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// For debugging.
    public static let debug = OSLogType(rawValue: 0x02)
    /// Helpful, not essential.
    public static let info = OSLogType(rawValue: 0x01)
    /// Always written on iOS.
    public static let `default` = OSLogType(rawValue: 0x00)
    /// A failure.
    public static let error = OSLogType(rawValue: 0x10)
    /// Fault of the program.
    public static let fault = OSLogType(rawValue: 0x11)

    /// Rank of the level; an unknown level counts as the default one.
    var importance: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .error: 3
        case .fault: 4
        default: 2
        }
    }
}

/// Writes a message. Values for its format are never written: they could be private.
///
/// - Parameters:
///   - type: The level.
///   - log: Part of the app.
///   - message: Text, with a `%` directive for each value.
///   - args: Values, which are not written.
public func os_log(
    _ type: OSLogType,
    log: OSLog = .default,
    _ message: StaticString,
    _ args: Any...
) {
    guard !log.isDisabled else { return }
    LogOutput.write("\(message)", type, subsystem: log.subsystem, category: log.category)
}

/// Writes a message, with the arguments in their older order.
///
/// - Parameters:
///   - message: Text, with a `%` directive for each value.
///   - log: Part of the app.
///   - type: The level.
///   - args: Values, which are not written.
public func os_log(
    _ message: StaticString,
    log: OSLog = .default,
    type: OSLogType = .default,
    _ args: Any...
) {
    guard !log.isDisabled else { return }
    LogOutput.write("\(message)", type, subsystem: log.subsystem, category: log.category)
}

/// Writes a message at the default level.
///
/// - Source: https://developer.apple.com/documentation/os/os_log
public func os_log(_ message: OSLogMessage) { os_log(.default, log: .default, message) }

/// Writes a message.
///
/// - Parameters:
///   - logLevel: The level.
///   - log: Part of the app.
///   - message: Text with values.
public func os_log(_ logLevel: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
    guard !log.isDisabled else { return }
    LogOutput.write(message.redacted, logLevel, subsystem: log.subsystem, category: log.category)
}

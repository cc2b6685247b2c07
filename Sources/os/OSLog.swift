/// A part of an app, for the functions that are older than `Logger`.
///
/// - Source: https://developer.apple.com/documentation/os/oslog
public final class OSLog: Sendable {
    /// The app's bundle id, mostly.
    let subsystem: String
    let category: String

    /// No part in particular.
    public static let `default` = OSLog(subsystem: "", category: "")
    /// What is written here is not written at all.
    public static let disabled = OSLog(subsystem: "", category: "", isDisabled: true)

    let isDisabled: Bool

    /// A part of an app.
    ///
    /// - Parameters:
    ///   - subsystem: The app's bundle id, mostly.
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

/// How important a message is.
public struct OSLogType: RawRepresentable, Sendable, Equatable {
    /// Apple's number.
    public let rawValue: UInt8

    /// - Parameter rawValue: Apple's number.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// For whoever debugs.
    public static let debug = OSLogType(rawValue: 0x02)
    /// Helpful, not essential.
    public static let info = OSLogType(rawValue: 0x01)
    /// What is always written on iOS.
    public static let `default` = OSLogType(rawValue: 0x00)
    /// Something failed.
    public static let error = OSLogType(rawValue: 0x10)
    /// The program is wrong.
    public static let fault = OSLogType(rawValue: 0x11)

    /// In the order of importance; a level that is not Apple's is as the default one.
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

/// Writes a message. Values for its format are never written: on iOS they are private unless the format says otherwise.
///
/// - Parameters:
///   - type: How important it is.
///   - log: The part of the app.
///   - message: The text, with a `%` directive for each value.
///   - args: The values.
public func os_log(
    _ type: OSLogType,
    log: OSLog = .default,
    _ message: StaticString,
    _ args: Any...
) {
    guard !log.isDisabled else { return }
    LogOutput.write("\(message)", type, subsystem: log.subsystem, category: log.category)
}

/// Writes a message, in the order of the arguments that came first.
///
/// - Parameters:
///   - message: The text, with a `%` directive for each value.
///   - log: The part of the app.
///   - type: How important it is.
///   - args: The values.
public func os_log(
    _ message: StaticString,
    log: OSLog = .default,
    type: OSLogType = .default,
    _ args: Any...
) {
    guard !log.isDisabled else { return }
    LogOutput.write("\(message)", type, subsystem: log.subsystem, category: log.category)
}

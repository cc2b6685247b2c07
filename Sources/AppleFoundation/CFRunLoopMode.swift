// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public struct CFRunLoopMode: RawRepresentable, Hashable, Sendable {
    public let rawValue: CFString

    public init(rawValue: CFString) { self.rawValue = rawValue }

    public init(_ rawValue: CFString) { self.init(rawValue: rawValue) }

    public static let defaultMode = CFRunLoopMode(RunLoop.Mode.default.rawValue)
    public static let commonModes = CFRunLoopMode(RunLoop.Mode.common.rawValue)
}

public enum CFRunLoopRunResult: Int32, Sendable {
    case finished = 1
    case stopped
    case timedOut
    case handledSource
}

/// Runs the thread's loop for some seconds of real time.
///
/// - Source: https://developer.apple.com/documentation/corefoundation/cfrunloopruninmode(_:_:_:)
@discardableResult
public func CFRunLoopRunInMode(
    _ mode: CFRunLoopMode?,
    _ seconds: CFTimeInterval,
    _ returnAfterSourceHandled: Bool
) -> CFRunLoopRunResult {
    let mode = RunLoop.Mode(rawValue: (mode ?? .defaultMode).rawValue)
    let end = Date(timeIntervalSinceNow: seconds)
    repeat {
        guard RunLoop.current.run(mode: mode, before: end) else { return .finished }
        if returnAfterSourceHandled, end.timeIntervalSinceNow > 0 { return .handledSource }
    } while end.timeIntervalSinceNow > 0
    return .timedOut
}

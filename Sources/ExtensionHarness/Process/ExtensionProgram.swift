internal import UserNotifications

/// An executable that hosts an extension: its `main.swift` is one call of `ExtensionHost.run`.
public struct ExtensionProgram: Sendable, Equatable {
    /// Path of the executable.
    public var path: String
    /// Arguments after the name.
    public var arguments: [String]
    /// Variables beside this process's own environment.
    public var environment: [String: String]

    /// Names an executable.
    ///
    /// - Parameters:
    ///   - path: relative to the working folder unless it begins with a slash.
    ///   - arguments: without the program's name.
    ///   - environment: variables beside this process's own.
    public init(path: String, arguments: [String] = [], environment: [String: String] = [:]) {
        self.path = URL(fileURLWithPath: path).path
        self.arguments = arguments
        self.environment = environment
    }

    /// Executable target of the package under test, built beside the test bundle; the test target has to depend on
    /// it.
    ///
    /// - Returns: program, looked for when a process starts.
    public static func built(_ name: String) -> ExtensionProgram {
        let test = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return ExtensionProgram(path: test.deletingLastPathComponent().appendingPathComponent(name).path)
    }
}

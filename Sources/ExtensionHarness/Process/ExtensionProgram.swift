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
    ///   - path: Relative to this process's working folder unless it begins with a slash.
    ///   - arguments: The program's, without its name.
    ///   - environment: Variables beside this process's own.
    public init(path: String, arguments: [String] = [], environment: [String: String] = [:]) {
        self.path = URL(fileURLWithPath: path).path
        self.arguments = arguments
        self.environment = environment
    }

    /// An executable target of the package under test, which the build puts beside the test bundle. The test target has
    /// to name it among its dependencies.
    ///
    /// - Returns: A program that is looked for when a process starts.
    public static func built(_ name: String) -> ExtensionProgram {
        let test = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return ExtensionProgram(path: test.deletingLastPathComponent().appendingPathComponent(name).path)
    }
}

import Foundation

@testable import Opening

/// Another process with the same window.
final class Probe {
    private let process = Process()
    private let output = Pipe()
    private var unread: [UInt8] = []

    /// Beside the test bundle.
    private static let path: String = {
        let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return bundle.deletingLastPathComponent().appendingPathComponent("ReplayWindowProbe").path
    }()

    /// Starts the probe.
    convenience init(_ arguments: String...) throws {
        try self.init(program: Self.path, arguments: arguments)
    }

    private init(program: String, arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    deinit {
        kill()
    }

    /// Runs a line of shell in which `$0` is the probe and `$1` the folder.
    ///
    /// - Returns: what it said.
    static func run(_ line: String, _ folder: String) throws -> String {
        let probe = try Probe(program: "/bin/sh", arguments: ["-c", line, path, folder])
        let text = probe.rest()
        probe.process.waitUntilExit()
        return text
    }

    /// The next line; nil at the end.
    func line() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            unread += more
        }
    }

    /// Everything up to its end.
    func rest() -> String {
        unread += output.fileHandleForReading.readDataToEndOfFile()
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    /// SIGKILL, and waits until it is gone.
    func kill() {
        if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}

private import Foundation

/// Another process, which says what it does line by line on its standard output.
package final class LineProcess {
    private let process = Process()
    private let output = Pipe()
    private var unread: [UInt8] = []

    /// Where a program of this package is built: beside the test bundle.
    package static func path(of program: String) -> String {
        let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return bundle.deletingLastPathComponent().appendingPathComponent(program).path
    }

    /// Starts it.
    package init(_ path: String, _ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    deinit { kill() }

    /// The next line; nil at the end.
    package func line() -> String? {
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
    package func rest() -> String {
        unread += output.fileHandleForReading.readDataToEndOfFile()
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    /// Waits until it has ended by itself.
    package func wait() { process.waitUntilExit() }

    /// SIGKILL, and waits until it is gone.
    package func kill() {
        if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}

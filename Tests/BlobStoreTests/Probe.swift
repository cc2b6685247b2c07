import BlobStoreProbe
import Foundation

/// Another process with a folder of blobs.
final class Probe {
    private let process = Process()
    private let output = Pipe()
    private var unread: [UInt8] = []

    /// The arguments are as the probe says them.
    init(_ arguments: String...) throws {
        let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.executableURL = bundle.deletingLastPathComponent().appendingPathComponent("BlobStoreProbe")
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    deinit { kill() }

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

import Glibc
import TestSupport

final class DaemonProcess {
    static var program: String { LineProcess.path(of: "sealedpushd") }
    /// The folder of all programs, beside these tests.
    static var folder: String { String(program.dropLast("/sealedpushd".count)) }

    let id: pid_t
    private var output: Int32
    private let errors: Int32
    private var unread: [UInt8] = []
    private var status: Int32?
    /// True if the system reports a core, after the end.
    private(set) var leftCore = false

    /// Variables of `Tests/Tools/InAnotherYear` and `Tests/Tools/HeldUp`, which hold for these tests' processes too. A process that
    /// ends leaves memory to the system, which the leak checker would report by its exit code.
    private static var surroundings: [String] {
        var variables = ["ASAN_OPTIONS=detect_leaks=0"]
        for name: String in ["LD_PRELOAD", "SHIFT_CLOCK_SECONDS", "HOLD_UP_SEED"] {
            if let value = unsafe getenv(name) { unsafe variables.append("\(name)=\(String(cString: value))") }
        }
        return variables
    }

    /// - Parameters:
    ///   - arguments: behind the program's name.
    ///   - environment: variables, as `NAME=value`; only those set for the tests as a whole are inherited.
    ///   - wrapper: a program with its arguments that becomes this one in the end.
    init(_ arguments: [String], environment: [String] = [], wrapper: [String] = []) throws {
        let (outputReader, outputWriter) = try Spawn.pipe()
        let (errorReader, errorWriter) = try Spawn.pipe()
        defer {
            close(outputWriter)
            close(errorWriter)
        }
        output = outputReader
        errors = errorReader
        id = try Spawn.start(
            wrapper + [Self.program] + arguments,
            environment: environment + Self.surroundings,
            descriptors: [nil, outputWriter, errorWriter]
        )
    }

    deinit {
        if status == nil {
            _ = Glibc.kill(id, SIGKILL)
            wait()
        }
        if output >= 0 { close(output) }
        close(errors)
    }

    func signal(_ number: Int32) { _ = Glibc.kill(id, number) }

    func line() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let more = Self.read(output)
            if more.isEmpty { return nil }
            unread += more
        }
    }

    /// Lines up to the first of that event, included; without it, all there are.
    func lines(to event: String) -> [String] {
        var lines: [String] = []
        while let line = line() {
            lines.append(line)
            if line.contains("\"event\":\"\(event)\"") { break }
        }
        return lines
    }

    /// The text or number of a log line's member.
    static func value(_ name: String, in line: String) -> String? {
        guard let range = line.firstRange(of: "\"\(name)\":") else { return nil }
        let rest = line[range.upperBound...]
        guard rest.hasPrefix("\"") else { return String(rest.prefix { $0.isNumber }) }
        return String(rest.dropFirst().prefix { $0 != "\"" })
    }

    func complaint() -> String {
        var bytes: [UInt8] = []
        while case let more = Self.read(errors), !more.isEmpty { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Stops reading its log: the pipe has no other end then.
    func closeLog() {
        close(output)
        output = -1
    }

    func rest() -> String {
        while case let more = Self.read(output), !more.isEmpty { unread += more }
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    var hasEnded: Bool {
        var status: Int32 = 0
        if self.status == nil, unsafe waitpid(id, &status, WNOHANG) == id { self.status = status }
        return self.status != nil
    }

    /// - Returns: its exit code; below zero for a signal's.
    @discardableResult
    func wait() -> Int32 {
        while status == nil {
            var status: Int32 = 0
            let ended = unsafe waitpid(id, &status, 0)
            if ended == id || errno != EINTR { self.status = status }
        }
        let status = status ?? 0
        leftCore = status & 0x80 != 0
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }

    private static func read(_ descriptor: Int32) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? Array(chunk[..<count]) : []
        }
    }
}

/// A program that ended by itself.
struct Ended {
    let code: Int32
    let output: String
    let complaint: String

    init(_ arguments: [String], environment: [String] = []) throws {
        let process = try DaemonProcess(arguments, environment: environment)
        output = process.rest()
        complaint = process.complaint()
        code = process.wait()
    }
}

import CLinux
import CommandLineTool
import Glibc

/// Part of a bench: runs in its own process, which the bench starts and which measures itself.
protocol MeasuredCommand: Command {}

extension MeasuredCommand {
    static var summary: String { "is measured by the bench that starts it" }
    static var example: String { "Not for use by hand." }

    static var failure: CommandError { .failed("this command is part of another bench, which starts it") }
}

/// Runs this program again, as a process that measures itself and prints one line.
enum MeasuredProcess {
    private static let lineByteCountMax = 65_536

    /// - Parameters:
    ///   - arguments: A measured command's name first.
    ///   - whileRunning: Work of this process meanwhile.
    /// - Returns: Its output without line ends; nil if it failed, with the reason on standard error.
    static func line(
        of arguments: [String],
        whileRunning: () -> Void = {}
    ) throws(CommandError) -> String? {
        var output: [Int32] = [0, 0]
        guard unsafe pipe(&output) == 0 else {
            throw .failed("a child process's pipe cannot be made: \(Output.systemText(errno))")
        }
        for end in output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var words = unsafe (["sealedpush-bench"] + arguments).map { unsafe strdup($0) } + [nil]
        let id = unsafe clinux_spawn("/proc/self/exe", &words, output[1], -1)
        let code = errno
        unsafe words.forEach { unsafe free($0) }
        close(output[1])
        defer { close(output[0]) }
        guard id > 0 else { throw .failed("a child process cannot be started: \(Output.systemText(code))") }
        whileRunning()
        let line = readAll(output[0])
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status == 0 ? line : nil
    }

    private static func readAll(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < lineByteCountMax {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}

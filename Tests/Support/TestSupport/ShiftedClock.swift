#if os(Linux)
import Glibc

/// Wall clock of a process, which a test moves while it runs. Its other clocks stay.
package struct ShiftedClock: Sendable {
    /// Of the process's environment.
    package let variables: [String]
    private let file: String

    /// - Parameter folder: of the clock and its library.
    package init(in folder: TemporaryFolder) throws {
        let tests = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let library = folder.path("shift_clock.so")
        let source = "/\(tests)/Tools/InAnotherYear/shift_clock.c"
        let compiler = try LineProcess("/usr/bin/env", ["clang", "-shared", "-fPIC", "-o", library, source])
        let output = compiler.rest()
        guard compiler.wait() == 0 else { throw Failure(what: "shift_clock.c is not compiled: \(output)") }
        file = folder.path("clock")
        variables = ["LD_PRELOAD=\(library)", "SHIFT_CLOCK_FILE=\(file)"]
        try set(ahead: 0)
    }

    package func set(ahead seconds: Int64) throws {
        // In place: the process has mapped the file.
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        var seconds = seconds
        guard unsafe pwrite(descriptor, &seconds, 8, 0) == 8 else { throw Failure(what: "the clock's file: \(errno)") }
    }

    private struct Failure: Error { let what: String }
}
#endif

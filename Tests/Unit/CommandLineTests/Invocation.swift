import Foundation
import TestSupport

struct Invocation: Sendable {
    var program: String
    var arguments: [String]
    /// Variables beside PATH.
    var environment: [String: String] = [:]
    /// The working folder; it stays as long as the process.
    let folder: Folder
    var input = Input.nothing
    var output = Output.pipe
    /// True for a process group of its own, for signals as a terminal sends them.
    var isGroup = false

    enum Input: Sendable {
        case nothing
        case pipe([UInt8])
        /// A socket, as some runtimes give their child processes.
        case socket([UInt8])
    }

    enum Output: Sendable {
        case pipe
        case file(String)
        /// A pipe without a reader.
        case brokenPipe
    }

    /// - Parameters:
    ///   - arguments: the words after the program's name.
    ///   - program: its path.
    init(_ arguments: [String], of program: String = Program.path, in folder: Folder) {
        self.program = program
        self.arguments = arguments
        self.folder = folder
    }

    static func shell(_ line: String, in folder: Folder) -> Invocation {
        var invocation = Invocation(["-c", line], in: folder)
        invocation.program = "/bin/sh"
        return invocation
    }

    func start() throws -> LiveProcess {
        let input = try Self.input(self.input)
        defer { close(input) }
        let (outputReader, output) = try Self.output(self.output)
        defer { close(output) }
        let (errorReader, error) = try Spawn.pipe()
        defer { close(error) }
        do {
            let id = try spawn(descriptors: [input, output, error])
            return LiveProcess(self, id: id, output: outputReader, error: errorReader)
        } catch {
            close(outputReader)
            close(errorReader)
            throw error
        }
    }

    /// Spawns it with these descriptors as standard input, output and error.
    private func spawn(descriptors: [Int32]) throws -> pid_t {
        // Glibc's module lacks the call that sets a working folder; env does it, and becomes the program.
        let words = ["/usr/bin/env", "-C", folder.path, program] + arguments
        // A process that ends with exit() leaves memory to the system; the leak checker would change its exit code. The
        // shift of the tests' clock (Tests/Tools/InAnotherYear) and the delays (Tests/Tools/HeldUp) hold for the program too.
        let inherited = ProcessInfo.processInfo.environment.filter {
            ["LD_PRELOAD", "SHIFT_CLOCK_SECONDS", "HOLD_UP_SEED"].contains($0.key)
        }
        let variables = ["PATH": "/usr/bin:/bin", "ASAN_OPTIONS": "detect_leaks=0"].merging(inherited) { $1 }
            .merging(environment) { $1 }
        return try Spawn.start(
            words,
            environment: variables.map { "\($0)=\($1)" },
            descriptors: descriptors,
            isGroup: isGroup
        )
    }

    private static func input(_ input: Input) throws -> Int32 {
        switch input {
        case .nothing:
            return unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        case .pipe(let bytes):
            let (reader, writer) = try Spawn.pipe()
            try fill(writer, bytes)
            return reader
        case .socket(let bytes):
            var ends: [Int32] = [0, 0]
            // Close-on-exec from the start: a child with a copy would keep this one's input open.
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
                throw SystemFailure(call: "socketpair", code: errno)
            }
            try fill(ends[1], bytes)
            return ends[0]
        }
    }

    /// Small enough for the system's buffer; otherwise it would wait for a reader.
    private static func fill(_ writer: Int32, _ bytes: [UInt8]) throws {
        defer { close(writer) }
        precondition(bytes.count <= 65_536)
        let count = unsafe write(writer, bytes, bytes.count)
        guard count == bytes.count else { throw SystemFailure(call: "write", code: errno) }
    }

    private static func output(_ output: Output) throws -> (reader: Int32, writer: Int32) {
        switch output {
        case .pipe: return try Spawn.pipe()
        case .file(let path):
            let writer = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard writer >= 0 else { throw SystemFailure(call: "open \(path)", code: errno) }
            return (unsafe open("/dev/null", O_RDONLY | O_CLOEXEC), writer)
        case .brokenPipe:
            let (reader, writer) = try Spawn.pipe()
            close(reader)
            return (unsafe open("/dev/null", O_RDONLY | O_CLOEXEC), writer)
        }
    }
}

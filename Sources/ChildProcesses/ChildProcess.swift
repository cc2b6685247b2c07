package import CommandLineTool
package import Envelope
package import Glibc

/// Child of a demo or bench; prints JSON objects, one a line.
package final class ChildProcess {
    private let name: String
    package let id: pid_t
    let output: Int32
    private let stopSignal: StopSignal
    private var buffer: [UInt8] = []
    private var isReaped = false
    /// Keeps all that it prints from now on.
    package var keepsTranscript = false
    package private(set) var transcript: [UInt8] = []

    /// Long enough for a busy machine; only a hang takes longer.
    private static let silenceMillisecondsMax: Int32 = 60_000
    /// Time for an orderly end.
    private static let endMax = Duration.seconds(60)
    private static let lineByteCountMax = 1 << 20

    /// Runs this program with `arguments`. A stop signal makes every wait throw.
    package convenience init(_ arguments: [String], stop: StopSignal) throws(CommandError) {
        try self.init(program: "/proc/self/exe", called: "sealedpush", arguments, stop: stop)
    }

    /// Runs the program beside this one, pinned to a processor if given.
    package convenience init(
        beside name: String,
        _ arguments: [String],
        processor: Int32? = nil,
        stop: StopSignal
    ) throws(CommandError) {
        let own = try AbsolutePath.of("/proc/self/exe")
        let program = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/" + name
        guard unsafe access(String(program), X_OK) == 0 else {
            throw .failed("\(TerminalText.safe(String(program))) does not exist: build it with 'swift build'")
        }
        try self.init(program: String(program), called: name, arguments, processor: processor, stop: stop)
    }

    private init(
        program: String,
        called programName: String,
        _ arguments: [String],
        processor: Int32? = nil,
        stop: StopSignal
    ) throws(CommandError) {
        name = programName == "sealedpush" ? arguments.first ?? "" : programName
        stopSignal = stop
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else {
            throw .failed("a child process's pipe cannot be made: \(Output.systemText(errno))")
        }
        // Other children must not inherit the pipe.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        let child = Spawner.spawn(program, [programName] + arguments, output: ends[1], processor: processor)
        id = child.id
        output = ends[0]
        guard id > 0 else { throw .failed("a child process cannot be started: \(Output.systemText(child.code))") }
    }

    deinit {
        stop()
        close(output)
    }

    /// - Throws: at the process's end, or after a minute of silence.
    package func next() throws(CommandError) -> JSONValue { try parse(try nextLine()) }

    /// Reads the next line without its end; throws as `next`.
    package func nextLine() throws(CommandError) -> [UInt8] {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(buffer[..<end])
                buffer.removeSubrange(...end)
                return line
            }
            guard try fill() else { throw .failed("'\(name)' ended early; its output is above") }
        }
    }

    /// Reads up to the next event called `name`.
    package func next(event name: String) throws(CommandError) -> JSONValue {
        while true {
            let line = try next()
            if line["event"]?.string == name { return line }
        }
    }

    /// Waits for success.
    package func wait() throws(CommandError) {
        // The end of its output is the end of the process.
        while try fill() {}
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0 {
            guard errno == EINTR else { throw .failed("'\(name)' cannot be waited for: \(Output.systemText(errno))") }
        }
        isReaped = true
        guard status == 0 else { throw .failed("'\(name)' failed; its output is above") }
    }

    /// Terminates the process and waits. Kills it after a minute.
    package func stop() {
        guard !isReaped else { return }
        _ = kill(id, SIGTERM)
        let deadline = ContinuousClock.now + Self.endMax
        // Its exit status no longer matters.
        while waitpid(id, nil, WNOHANG) == 0 {
            guard .now < deadline else { return crash() }
            // No descriptor: only time can pass.
            _ = poll(nil, 0, 10)
        }
        isReaped = true
    }

    /// Stops it, and reads the rest of its output.
    package func end() throws(CommandError) {
        stop()
        while try fill() { buffer = [] }
    }

    package func crash() {
        guard !isReaped else { return }
        _ = kill(id, SIGKILL)
        _ = waitpid(id, nil, 0)
        isReaped = true
    }

    /// - Returns: false at the end of the output.
    private func fill() throws(CommandError) -> Bool {
        guard buffer.count <= Self.lineByteCountMax else { throw .failed("'\(name)' printed a line that is too long") }
        var polls = [stopSignal.descriptor, output].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let ready = unsafe poll(&polls, nfds_t(polls.count), Self.silenceMillisecondsMax)
        if ready < 0, errno == EINTR { return true }
        guard ready > 0 else { throw .failed("'\(name)' printed nothing for a minute") }
        guard polls[0].revents == 0 else { throw .failed("stopped while '\(name)' was running") }
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe read(output, &chunk, chunk.count)
        if count < 0, errno == EINTR { return true }
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        if keepsTranscript { transcript += chunk[..<count] }
        return true
    }

    package func parse(_ line: [UInt8]) throws(CommandError) -> JSONValue {
        let limits = JSONParser.Limits(byteCountMax: Self.lineByteCountMax, depthMax: 8, allowsFractions: false)
        do {
            return try JSONParser.parse(line, limits: limits)
        } catch {
            throw .failed("'\(name)' printed something other than JSON")
        }
    }
}

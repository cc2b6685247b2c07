internal import CLinux
internal import Platform
internal import UserNotifications

/// Child process and the socket to it. It dies with the thread that started it, and with this value.
struct ConfinedProcess: ~Copyable {
    struct StartError: Error, Equatable {
        let call: String
        let code: Int32
    }

    enum Change: Equatable {
        case stopped
        case ended(ProcessEnd)
    }

    let id: pid_t
    /// Non-blocking.
    let channel: Int32
    private var isReaped = false

    /// - Parameter folder: Working folder, also for temporary files.
    init(_ program: ExtensionProgram, folder: String, group: MemoryGroup?) throws(StartError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw StartError(call: "socketpair", code: errno)
        }
        defer { close(ends[1]) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)

        let variables = Self.environment(program, folder: folder)
        var words = unsafe ([program.path] + program.arguments).map { unsafe strdup($0) } + [nil]
        var environment = unsafe variables.map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + environment).forEach { unsafe free($0) } }
        let id = unsafe folder.withCString { folder in
            var confinement = unsafe clinux_confinement(
                folder: folder,
                channel: ends[1],
                group: group?.joinDescriptor ?? -1
            )
            return unsafe clinux_spawn_confined(program.path, &words, &environment, &confinement)
        }
        guard id > 0 else {
            let code = errno
            close(ends[0])
            throw StartError(call: "execve", code: code)
        }
        self.id = id
        channel = ends[0]
    }

    deinit {
        if !isReaped {
            _ = kill(id, SIGKILL)
            // The way it ends no longer matters.
            _ = waitpid(id, nil, 0)
        }
        close(channel)
    }

    func signal(_ number: Int32) {
        // The number of a reaped process may belong to another one.
        if !isReaped { _ = kill(id, number) }
    }

    mutating func change() -> Change? {
        guard !isReaped else { return nil }
        var status: Int32 = 0
        guard unsafe waitpid(id, &status, WNOHANG | WUNTRACED) == id else { return nil }
        if status & 0xFF == 0x7F { return .stopped }
        isReaped = true
        let signal = status & 0x7F
        return .ended(signal == 0 ? .exited(status: status >> 8 & 0xFF) : .killed(signal: signal))
    }

    /// This process's environment with the child's own additions.
    private static func environment(_ program: ExtensionProgram, folder: String) -> [String] {
        var variables = ProcessInfo.processInfo.environment
        variables["TMPDIR"] = folder
        return variables.merging(program.environment) { $1 }.map { "\($0)=\($1)" }
    }
}

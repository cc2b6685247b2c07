#if os(Linux)
package import Platform

/// Starts programs, with posix_spawn and not through Foundation's `Process`: that copies the 256 bytes of `d_name` of
/// every entry under /proc/self/fd, and so reads past the end of its buffer once some 1,365 descriptors are open, as
/// they are while all suites run (swift-corelibs-foundation of Swift 6.3.1, a crash of the whole run).
package enum Spawn {
    /// Held while a pipe is open that a child would inherit by mistake: glibc's pipe2 is not in its Swift module.
    private static let descriptors = Guarded(false)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: The program's path and its arguments.
    ///   - environment: All its variables, as `NAME=value`; nil for this process's own.
    ///   - descriptors: Its standard input, output and error; fewer leave the rest as they are here. It inherits no
    ///     others.
    ///   - isGroup: True for a process group of its own.
    /// - Returns: its process id.
    package static func start(
        _ words: [String],
        environment: [String]? = nil,
        descriptors: [Int32?],
        isGroup: Bool = false
    ) throws(SystemFailure) -> pid_t {
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        let given = if let environment { environment } else { try inherited() }
        var variables = unsafe given.map { unsafe strdup($0) } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }

        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (target, source) in descriptors.enumerated() {
            if let source { unsafe posix_spawn_file_actions_adddup2(&actions, source, Int32(target)) }
        }
        // Tests run in parallel: another one's connection would stay open, and its lock held, while the child lives.
        unsafe closeAll(from: Int32(max(3, descriptors.count)), &actions)

        // Signals as in a fresh process, whatever the test runner does with its own.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var all = sigset_t()
        unsafe sigfillset(&all)
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (isGroup ? POSIX_SPAWN_SETPGROUP : 0)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        var id: pid_t = 0
        let code = Self.descriptors.withLock { _ in
            unsafe posix_spawn(&id, words[0], &actions, &attributes, &arguments, &variables)
        }
        guard code == 0 else { throw SystemFailure(call: "posix_spawn \(words[0])", code: code) }
        return id
    }

    /// Not in Swift's Glibc module.
    private static func closeAll(from first: Int32, _ actions: inout posix_spawn_file_actions_t) {
        typealias AddCloseFrom =
            @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        let name = "posix_spawn_file_actions_addclosefrom_np"
        guard let symbol = unsafe dlsym(UnsafeMutableRawPointer(bitPattern: 0), name) else { return }
        let add = unsafe unsafeBitCast(symbol, to: AddCloseFrom.self)
        _ = unsafe add(&actions, first)
    }

    /// A pipe that only those children get to which it is given.
    ///
    /// - Returns: its two ends.
    package static func pipe() throws(SystemFailure) -> (reader: Int32, writer: Int32) {
        // A child that is gone must not end the tests. Children get every signal as it was.
        _ = signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        let code = descriptors.withLock { _ in
            guard unsafe Platform.pipe(&ends) == 0 else { return errno }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return 0
        }
        guard code == 0 else { throw SystemFailure(call: "pipe", code: code) }
        return (ends[0], ends[1])
    }

    package static func inherited() throws(SystemFailure) -> [String] {
        let file = unsafe open("/proc/self/environ", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemFailure(call: "open /proc/self/environ", code: errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = unsafe read(file, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
}

package struct SystemFailure: Error {
    /// The call and its object.
    package let call: String
    /// Its errno.
    package let code: Int32

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }
}
#endif

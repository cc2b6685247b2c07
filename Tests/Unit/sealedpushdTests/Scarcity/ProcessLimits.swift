import Glibc
import TestSupport

enum ProcessLimits {
    /// Bytes of its address space, as `RLIMIT_AS` counts them.
    static func addressByteCount(of process: pid_t) throws -> Int {
        let pages = try text(process, "statm").split(separator: " ").first.flatMap { Int($0) }
        guard let pages else { throw SystemFailure(call: "read statm", code: 0) }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Sets a limit.
    ///
    /// - Parameter limit: as prlimit(1) takes it: `--as=1000000:unlimited`.
    static func set(_ limit: String, of process: pid_t) throws {
        // Its complaint would stand among the results of a run that may be green all the same.
        let script = "exec /usr/bin/prlimit \"$@\" 2>/dev/null"
        let tool = try LineProcess("/bin/sh", ["-c", script, "sh", "--pid", "\(process)", limit])
        guard tool.wait() == 0 else { throw SystemFailure(call: "prlimit \(limit)", code: 0) }
    }

    /// Text of a file in the process's `/proc` folder, of 64 KiB at most.
    static func text(_ process: pid_t, _ name: String) throws -> String {
        let file = unsafe open("/proc/\(process)/\(name)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemFailure(call: "open \(name)", code: errno) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

/// True if this run, and with it the service, was built with a sanitizer.
let isSanitized = unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

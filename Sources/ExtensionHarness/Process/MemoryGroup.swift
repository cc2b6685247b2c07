internal import Platform
internal import UserNotifications

/// Control group of one process, which the kernel ends beyond its memory limit.
///
/// Needs a delegated folder: `/sys/fs/cgroup/sealedpush` (version 2, with the memory controller on) or
/// `/sys/fs/cgroup/memory/sealedpush` (version 1). The test process's own group belongs to its environment, and is
/// never changed.
///
/// - Source: cgroups(7); the kernel's admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
final class MemoryGroup: Sendable {
    private struct Version {
        let limit: String
        let swapLimit: String
        let swapLimitIsTotal: Bool
        let peak: String
        let events: String
    }

    private static let versions = [
        Version(
            limit: "memory.max",
            swapLimit: "memory.swap.max",
            swapLimitIsTotal: false,
            peak: "memory.peak",
            events: "memory.events"
        ),
        Version(
            limit: "memory.limit_in_bytes",
            swapLimit: "memory.memsw.limit_in_bytes",
            swapLimitIsTotal: true,
            peak: "memory.max_usage_in_bytes",
            events: "memory.oom_control"
        ),
    ]
    static let delegatedFolders = ["/sys/fs/cgroup/sealedpush", "/sys/fs/cgroup/memory/sealedpush"]
    private static let lastNumber = Guarded(0)

    private let path: String
    private let version: Version
    let joinDescriptor: Int32

    /// Nil if no group can be made.
    ///
    /// - Parameter byteCountMax: Swapped pages included.
    init?(byteCountMax: Int, in folders: [String] = delegatedFolders) {
        let number = Self.lastNumber.withLock { number in
            number += 1
            return number
        }
        for folder in folders {
            Self.sweep(folder)
            let path = "\(folder)/extension-\(getpid())-\(number)"
            guard unsafe mkdir(path, 0o700) == 0 else { continue }
            if let version = Self.versions.first(where: { Self.limit(path, $0, byteCountMax) }) {
                let descriptor = unsafe open(path + "/cgroup.procs", O_WRONLY | O_CLOEXEC)
                if descriptor >= 0 {
                    self.path = path
                    self.version = version
                    joinDescriptor = descriptor
                    return
                }
            }
            unsafe rmdir(path)
        }
        return nil
    }

    deinit {
        close(joinDescriptor)
        // The process is gone, so the group is empty; a leftover group limits nothing.
        unsafe rmdir(path)
    }

    var peakByteCount: Int? {
        SystemFile.read(path + "/" + version.peak).flatMap { Int($0.filter { !$0.isWhitespace }) }
    }

    var isOutOfMemory: Bool {
        SystemFile.read(path + "/" + version.events).flatMap { Self.killCount(events: $0) } ?? 0 > 0
    }

    /// Parses lines of a name and a number; both versions use the name `oom_kill`.
    static func killCount(events: String) -> Int? {
        for line in events.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == "oom_kill" { return Int(words[1]) }
        }
        return nil
    }

    /// Removes groups left behind by ended programs.
    private static func sweep(_ folder: String) {
        // A missing folder has none.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let words = name.split(separator: "-")
            guard words.count == 3, words[0] == "extension", let id = pid_t(words[1]), id > 0 else { continue }
            if kill(id, 0) != 0, errno == ESRCH { _ = unsafe rmdir("\(folder)/\(name)") }
        }
    }

    private static func limit(_ path: String, _ version: Version, _ byteCountMax: Int) -> Bool {
        guard SystemFile.write("\(byteCountMax)", to: path + "/" + version.limit) else { return false }
        // Without swap accounting the file is missing, and mostly swap too.
        _ = SystemFile.write(
            version.swapLimitIsTotal ? "\(byteCountMax)" : "0",
            to: path + "/" + version.swapLimit
        )
        return true
    }
}

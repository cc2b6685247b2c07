internal import Platform
internal import UserNotifications

/// A control group for one process: the kernel ends it at the byte where its memory is more than it may be.
///
/// It needs a folder that somebody delegated: `/sys/fs/cgroup/sealedpush` (version 2, with the memory controller on) or
/// `/sys/fs/cgroup/memory/sealedpush` (version 1). The group that the test itself runs in is never changed: it belongs to
/// whoever runs the tests.
///
/// - Source: cgroups(7); the kernel's admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
final class MemoryGroup: Sendable {
    /// The names of one version's files.
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
    /// What a process joins the group through.
    let joinDescriptor: Int32

    /// nil where none can be made.
    ///
    /// - Parameters:
    ///   - byteCountMax: of all memory of the process, and of its swapped pages.
    ///   - folders: where a group may be made.
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
        // The process is gone, so the group is empty; one that cannot be removed limits nobody.
        unsafe rmdir(path)
    }

    /// The most memory that the group ever had.
    var peakByteCount: Int? {
        SystemFile.read(path + "/" + version.peak).flatMap { Int($0.filter { !$0.isWhitespace }) }
    }

    /// Whether the kernel ended a process of the group for its memory.
    var isOutOfMemory: Bool {
        SystemFile.read(path + "/" + version.events).flatMap { Self.killCount(events: $0) } ?? 0 > 0
    }

    /// Of lines of a name and a number; both versions call this one `oom_kill`.
    static func killCount(events: String) -> Int? {
        for line in events.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == "oom_kill" { return Int(words[1]) }
        }
        return nil
    }

    /// Removes the groups of programs that ended before they could.
    private static func sweep(_ folder: String) {
        // A folder that is not there has none.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let words = name.split(separator: "-")
            guard words.count == 3, words[0] == "extension", let id = pid_t(words[1]), id > 0 else { continue }
            if kill(id, 0) != 0, errno == ESRCH { _ = unsafe rmdir("\(folder)/\(name)") }
        }
    }

    private static func limit(_ path: String, _ version: Version, _ byteCountMax: Int) -> Bool {
        guard SystemFile.write("\(byteCountMax)", to: path + "/" + version.limit) else { return false }
        // Where swap is not accounted for there is no such file, and mostly no swap.
        _ = SystemFile.write(
            version.swapLimitIsTotal ? "\(byteCountMax)" : "0",
            to: path + "/" + version.swapLimit
        )
        return true
    }
}

internal import UserNotifications

/// Detects a process's lock on a file shared by app and extension. iOS ends such a process at suspension
/// (`0xdead10cc`): the app could wait for ever.
///
/// `/proc/PID/fdinfo/N` has a line `lock:` for each `flock` or `fcntl` lock, of both kinds, held through descriptor N
/// (proc(5)).
enum HeldLocks {
    /// - Parameter id: Process that is stopped meanwhile.
    /// - Returns: False also for a process that is gone.
    static func isAny(of id: Int32, in folder: String) -> Bool {
        // The kernel's paths have no symbolic links in them.
        let root = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path + "/"
        let descriptors = "/proc/\(id)/fd"
        guard let numbers = try? FileManager.default.contentsOfDirectory(atPath: descriptors) else { return false }
        return numbers.contains { number in
            // A descriptor need not be a file.
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: descriptors + "/" + number)
            guard let file, file.hasPrefix(root) else { return false }
            return SystemFile.read("/proc/\(id)/fdinfo/\(number)").map { isLocked(descriptor: $0) } ?? false
        }
    }

    /// - Parameter descriptor: Text of `/proc/PID/fdinfo/N`.
    static func isLocked(descriptor: String) -> Bool {
        descriptor.split(separator: "\n").contains { $0.hasPrefix("lock:") }
    }
}

internal import UserNotifications

/// Whether a process holds a lock on a file that app and extension share. iOS ends a process that does so when it is
/// suspended (`0xdead10cc`), because the app could wait for that lock for ever.
///
/// The kernel says so itself, for `flock` and both kinds of `fcntl` locks: `/proc/PID/fdinfo/N` has a line `lock:` for
/// each lock that the process has through descriptor N (proc(5)).
enum HeldLocks {
    /// - Parameters:
    ///   - id: a process that does not run while it is looked at.
    ///   - folder: the app groups' folder.
    /// - Returns: false also for a process that is gone.
    static func isAny(of id: Int32, in folder: String) -> Bool {
        // The kernel's own words have no symbolic links in them.
        let root = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path + "/"
        let descriptors = "/proc/\(id)/fd"
        // A process that is gone holds nothing.
        guard let numbers = try? FileManager.default.contentsOfDirectory(atPath: descriptors) else { return false }
        return numbers.contains { number in
            // A descriptor may be no file at all.
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: descriptors + "/" + number)
            guard let file, file.hasPrefix(root) else { return false }
            return SystemFile.read("/proc/\(id)/fdinfo/\(number)").map { isLocked(descriptor: $0) } ?? false
        }
    }

    /// Of the text of `/proc/PID/fdinfo/N`.
    static func isLocked(descriptor: String) -> Bool {
        descriptor.split(separator: "\n").contains { $0.hasPrefix("lock:") }
    }
}

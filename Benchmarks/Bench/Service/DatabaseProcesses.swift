private import Glibc

/// Processes of PostgreSQL on this machine.
package enum DatabaseProcesses {
    /// User and system time of all of them, and of those that they have waited for, in steps of 10 ms.
    package static func cpuNanoseconds() -> Int {
        guard let folder = unsafe opendir("/proc") else { return 0 }
        defer { unsafe closedir(folder) }
        var ticks = 0
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard let id = Int32(name), let bytes = try? ProcessReading.contents("/proc/\(id)/stat") else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.contains("(postgres)"), let rest = text.split(separator: ")").last else { continue }
            // Behind the name: state is the first field, utime the 12th, then stime, cutime, cstime.
            ticks += rest.split(separator: " ").dropFirst(11).prefix(4).reduce(0) { $0 + (Int($1) ?? 0) }
        }
        return ticks * (1_000_000_000 / sysconf(Int32(_SC_CLK_TCK)))
    }
}

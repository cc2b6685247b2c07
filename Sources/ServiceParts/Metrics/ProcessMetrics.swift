import Keys
import Platform

/// Use of resources, by the names of Prometheus' client libraries.
///
/// - Source: Prometheus, "Writing client libraries", "Standard and runtime collectors"; proc_pid_stat(5).
package struct ProcessMetrics: Equatable, Sendable {
    private static let ticksPerSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
    private static let pageByteCount = UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))
    /// Since 1970; read once: no set clock moves it.
    private static let startMicroseconds = start()

    let processorMicroseconds: UInt64
    let threadCount: UInt64
    /// From the machine's start to the process's.
    let startMilliseconds: UInt64
    let virtualByteCount: UInt64
    let residentByteCount: UInt64

    /// - Parameter line: `/proc/PID/stat`; nil if malformed. The program's name may have any character.
    init?(line: [UInt8]) {
        guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        // From field 3 on.
        let fields = String(decoding: line[(end + 1)...], as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard fields.count >= 22, let user = UInt64(fields[11]), let system = UInt64(fields[12]),
            let threads = UInt64(fields[17]), let start = UInt64(fields[19]), let byteCount = UInt64(fields[20]),
            let pages = UInt64(fields[21])
        else { return nil }
        processorMicroseconds = (user &+ system) &* (1_000_000 / Self.ticksPerSecond)
        threadCount = threads
        startMilliseconds = start &* 1_000 / Self.ticksPerSecond
        virtualByteCount = byteCount
        residentByteCount = pages &* Self.pageByteCount
    }

    private static var own: ProcessMetrics? {
        (try? WholeFile.read("/proc/self/stat", byteCountMax: 4_096)).flatMap { ProcessMetrics(line: $0) }
    }

    private static func start() -> UInt64? {
        guard let own else { return nil }
        var wall = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &wall) == 0 else { return nil }
        let now = UInt64(max(0, wall.tv_sec)) * 1_000 + UInt64(max(0, wall.tv_nsec)) / 1_000_000
        let age = Uptime.ofMachine.milliseconds &- own.startMilliseconds
        return now > age ? (now - age) * 1_000 : nil
    }

    /// nil if the folder cannot be read.
    private static func descriptorCount() -> UInt64? {
        guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(folder) }
        var count: UInt64 = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // Without ".", ".." and the folder's own.
        return count >= 3 ? count - 3 : nil
    }

    /// Appends nothing without /proc.
    package static func append(to text: inout [UInt8]) {
        guard let own else { return }
        let time: StaticString = "process_cpu_seconds_total"
        MetricsText.seconds(&text, time, "counter", "Processor time used.", microseconds: own.processorMicroseconds)
        if let start = startMicroseconds {
            let name: StaticString = "process_start_time_seconds"
            MetricsText.seconds(&text, name, "gauge", "Start of the process, since 1970.", microseconds: start)
        }
        var gauges: [(StaticString, StaticString, UInt64)] = [
            ("process_resident_memory_bytes", "Memory that the process has in RAM.", own.residentByteCount),
            ("process_virtual_memory_bytes", "Addresses that the process has.", own.virtualByteCount),
            ("process_threads", "Threads of the process.", own.threadCount),
        ]
        if let count = descriptorCount() {
            gauges.append(("process_open_fds", "Descriptors that are open.", count))
        }
        if let limit = ProcessSettings.descriptorLimit {
            gauges.append(("process_max_fds", "Descriptors that may be open.", UInt64(limit.rlim_cur)))
        }
        for (name, help, value) in gauges { MetricsText.single(&text, name, "gauge", help, value) }
    }
}

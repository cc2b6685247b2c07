private import CLinux
private import Platform

/// Returns memory to the system after a flood.
///
/// malloc keeps what was freed, in arenas of which only the ends go back by themselves. So the process is measured now and then:
/// once it has in memory so much more than malloc has given out, the pages between are given back. A value: its owner says when.
package struct HeapTrim {
    /// Less is not worth the look at every arena: a process at work has some.
    static let byteCountMin = 16 << 20

    /// What was in memory beyond what was given out, when that was least: code, stacks, and pages that hold a little each.
    private var excessMin = Int.max

    package init() {}

    /// - Parameters:
    ///   - resident: bytes of the process that are in memory.
    ///   - inUse: bytes that malloc has given out.
    /// - Returns: whether to trim now.
    mutating func isDue(resident: Int, inUse: Int) -> Bool {
        let excess = resident - inUse
        // The first measurement is of a process that has just begun.
        guard excessMin < .max, excess - excessMin >= Self.byteCountMin else {
            excessMin = min(excessMin, excess)
            return false
        }
        return true
    }

    /// What was measured after a trim; it may have found nothing that could go.
    mutating func didTrim(resident: Int, inUse: Int) { excessMin = resident - inUse }

    /// Measures, and trims where that is due. Takes milliseconds where there is something to give back.
    package mutating func run() {
        guard let resident = Self.residentByteCount(), isDue(resident: resident, inUse: clinux_heap_in_use()) else {
            return
        }
        clinux_heap_trim()
        if let resident = Self.residentByteCount() { didTrim(resident: resident, inUse: clinux_heap_in_use()) }
    }

    /// - Source: proc(5), `/proc/[pid]/statm`: the second number is of pages.
    private static func residentByteCount() -> Int? {
        let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(file, &bytes, bytes.count)
        let words = bytes.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
        guard words.count > 1 else { return nil }
        return Int(String(decoding: words[1], as: UTF8.self)).map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }
}

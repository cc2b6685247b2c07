private import CLinux
private import Platform

/// Returns memory to the system after a flood; malloc itself returns only the ends of its arenas. A value: its owner
/// calls it now and then.
package struct HeapTrim {
    /// Less is not worth a visit to every arena.
    static let byteCountMin = 16 << 20

    /// Least excess so far: code, stacks, and partly used pages.
    private var excessMin = Int.max

    package init() {}

    mutating func isDue(resident: Int, inUse: Int) -> Bool {
        let excess = resident - inUse
        // The first measurement is of a new process.
        guard excessMin < .max, excess - excessMin >= Self.byteCountMin else {
            excessMin = min(excessMin, excess)
            return false
        }
        return true
    }

    /// The trim may have found nothing to return.
    mutating func didTrim(resident: Int, inUse: Int) { excessMin = resident - inUse }

    /// Measures, and trims if due. Takes milliseconds if there is memory to return.
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
